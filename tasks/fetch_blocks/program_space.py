"""FetchProgramTaskSpace: a start and a program between a teacher and the tasks."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.program_suites import PROGRAM_SUITES
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.start_parameters import change_block, decode_start, encode_start, start_spaces
from procgen_bench.tasks.programs import PROGRAMS, Program
from procgen_bench.tasks.programs.states import NUM_BLOCKS

_NAMES = tuple(PROGRAMS)


class FetchProgramTaskSpace(TaskSpace[FetchProgramTask]):
    """FetchProgram's task space: four blocks, the gripper and a program.

    Raw parameters, float64, so that every task has parameters that decode to it:

    - ``places``: (4, 2), x in [1.15, 1.45] and y in [0.45, 1.05], where each block is put down. One without room
      (another less than 0.058 away along x and 0.085 along y) comes to stand on top of the nearest stack.
    - ``heights``: (4,) in [0, 1]; lower blocks are put down first, the first of equals before the others.
    - ``gripper``: (3,), where the gripper starts, z in [0.45, 0.75]; raised where a stack is in its way.
    - ``first``, ``held``: (4,) logits and (1,), in [-1, 1]; where ``held`` is positive, the block with the greatest
      logit, the first of equals, starts in the gripper instead.
    - ``program``: (27,) logits in [-1, 1] of the programs in the order of ``PROGRAMS``; the greatest of those whose
      pre-condition holds decides, the first of equals. (The non-atomic ones' always holds.)

    ``sample`` is uniform over these numbers. What the environment's resets draw is ``sample_task``'s.
    """

    task_type = FetchProgramTask
    suites = PROGRAM_SUITES
    choices = frozenset({"first", "program"})
    space: ClassVar[spaces.Dict] = spaces.Dict(
        start_spaces(NUM_BLOCKS) | {"program": spaces.Box(-1.0, 1.0, (len(_NAMES),), np.float64)}
    )

    def sample_task(self, rng: np.random.Generator, program: Program, randomness: float = 0.0) -> FetchProgramTask:
        """A task of the program; see :func:`procgen_bench.tasks.fetch_blocks.program_draws.draw_program_task`."""
        return draw_program_task(rng, program, randomness)

    def _decode(self, params: Parameters) -> FetchProgramTask:
        return _with_program(decode_start(params)[0], params["program"])

    def encode(self, task: FetchProgramTask) -> Parameters:
        """The places as they are; heights tell the levels apart."""
        first = task.start.held or 0
        return encode_start(task.start, first) | {"program": _logits(task.program)}

    def mutate(self, task: FetchProgramTask, rng: np.random.Generator) -> FetchProgramTask:
        """A block put down elsewhere, the gripper, or the program drawn anew, each equally likely.

        Where the program cannot be played from the new start, it is drawn anew, too.
        """
        changed, fresh = ("places", "gripper", "program")[rng.integers(3)], self.sample(rng)
        if changed == "program":
            return _with_program(task.start, fresh["program"])
        params = self.encode(task)
        if changed == "places":
            change_block(params, fresh, int(rng.integers(NUM_BLOCKS)))
        else:
            params["gripper"] = fresh["gripper"]
        moved = replace(task, start=decode_start(params)[0])
        if PROGRAMS[task.program].precondition(moved.state):
            return moved
        return _with_program(moved.start, fresh["program"])

    def validate(self, task: FetchProgramTask) -> None:
        """See :meth:`FetchProgramTask.validate`."""
        task.validate()


def _logits(name: str) -> np.ndarray:
    return np.where(np.array(_NAMES) == name, 1.0, -1.0)


def _with_program(start: FetchBlocksStart, logits: np.ndarray) -> FetchProgramTask:
    """The start with the program of the greatest logit among those that can be played from there."""
    for place in np.argsort(-logits, kind="stable").tolist():
        task = FetchProgramTask(start, _NAMES[place])
        if PROGRAMS[task.program].precondition(task.state):
            return task
    raise AssertionError("non-atomic programs can be played from anywhere")

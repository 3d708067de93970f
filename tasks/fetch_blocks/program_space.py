"""FetchProgramTaskSpace: a start and a program between a teacher and the tasks."""

from dataclasses import replace
from functools import cached_property

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suites import NO_SUITES
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, Solver, TaskSpace
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.program_suites import PROGRAM_SUITES
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.start_parameters import change_block, decode_start, encode_start, start_spaces
from procgen_bench.tasks.programs import PROGRAMS, Program, ProgramLibrary


class FetchProgramTaskSpace(TaskSpace[FetchProgramTask]):
    """FetchProgram's task space: N blocks, four in the paper, the gripper and a program.

    Raw parameters, float64, so that every task has parameters that decode to it:

    - ``places``: (N, 2), x in [1.15, 1.45] and y in [0.45, 1.05], where each block is put down. One without room
      (another less than 0.058 away along x and 0.085 along y) ends up on top of the nearest stack.
    - ``heights``: (N,) in [0, 1]; lower blocks are put down first, the first of equals before the others.
    - ``gripper``: (3,), where the gripper starts, z in [0.45, 0.75]; raised where a stack is in its way.
    - ``first``, ``held``: (N,) logits and (1,), in [-1, 1]; where ``held`` is positive, the block with the greatest
      logit, the first of equals, starts in the gripper instead.
    - ``program``: (27,) logits in [-1, 1] of the programs in the order of the library; the greatest of those whose
      pre-condition holds decides, the first of equals. (The paper's non-atomic ones' always holds.)

    ``sample`` is uniform over these numbers. What the environment's resets draw is ``sample_task``'s.

    Args:
        library: The programs; the paper's 27 for four blocks by default. Suites are there where it holds those.
        solver: See :class:`TaskSpace`.
    """

    task_type = FetchProgramTask
    task_count = more_than(40)  # places in float64
    choices = frozenset({"first", "program"})

    def __init__(self, library: ProgramLibrary = PROGRAMS, solver: Solver[FetchProgramTask] | None = None):
        super().__init__(solver)
        self.library = library
        self.suites = PROGRAM_SUITES if library.holds(PROGRAMS) else NO_SUITES

    @cached_property
    def space(self) -> spaces.Dict:
        """The raw parameters; see the class."""
        program = spaces.Box(-1.0, 1.0, (len(self.library),), np.float64)
        return spaces.Dict(start_spaces(self.library.num_blocks) | {"program": program})

    def sample_task(self, rng: np.random.Generator, program: Program, randomness: float = 0.0) -> FetchProgramTask:
        """A task of the program, with ``randomness`` 0 to 1; see :func:`.program_draws.draw_program_task`."""
        return draw_program_task(rng, program, randomness)

    def _decode(self, params: Parameters) -> FetchProgramTask:
        return self._with_program(decode_start(params)[0], params["program"])

    def encode(self, task: FetchProgramTask) -> Parameters:
        """The places as they are; heights tell the levels apart. Shapes and dtypes are those of the class."""
        logits = np.where(np.array(list(self.library)) == task.program, 1.0, -1.0)
        return encode_start(task.start, task.start.held or 0) | {"program": logits}

    def mutate(self, task: FetchProgramTask, rng: np.random.Generator) -> FetchProgramTask:
        """A block put down elsewhere, the gripper, or the program redrawn, each equally likely.

        Where the program cannot be played from the new start, it is redrawn, too.
        """
        changed, fresh = ("places", "gripper", "program")[rng.integers(3)], self.sample(rng)
        if changed == "program":
            return self._with_program(task.start, fresh["program"])
        params = self.encode(task)
        if changed == "places":
            change_block(params, fresh, int(rng.integers(self.library.num_blocks)))
        else:
            params["gripper"] = fresh["gripper"]
        moved = replace(task, start=decode_start(params)[0])
        if self.library[task.program].precondition(moved.state):
            return moved
        return self._with_program(moved.start, fresh["program"])

    def validate(self, task: FetchProgramTask) -> None:
        """See :meth:`FetchProgramTask.validate`."""
        task.validate(self.library)

    def _with_program(self, start: FetchBlocksStart, logits: np.ndarray) -> FetchProgramTask:
        """The start with the program of the greatest logit among those that can be played from there."""
        names = list(self.library)
        task = FetchProgramTask(start, names[int(logits.argmax())])
        possible = self.library.preconditions(task.state)
        if not possible.any():
            raise InvalidTaskError("places", start.places.tolist(), "a start from which a program can be played")
        return replace(task, program=names[int(np.where(possible, logits, -np.inf).argmax())])

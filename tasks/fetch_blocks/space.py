"""FetchBlocksTaskSpace: places of blocks, gripper and goals between a teacher and the tasks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suites import NO_SUITES
from procgen_bench.core.task import Task
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, Solver, TaskSpace
from procgen_bench.tasks.fetch_blocks.draws import draw_goal, draw_task
from procgen_bench.tasks.fetch_blocks.start_parameters import (
    box,
    change_block,
    decode_start,
    encode_start,
    start_spaces,
)
from procgen_bench.tasks.fetch_blocks.suites import SUITE_BLOCKS, SUITES
from procgen_bench.tasks.fetch_blocks.table import GOAL_HIGH
from procgen_bench.tasks.fetch_blocks.task import MATERIALS, USUAL_MATERIALS, FetchBlocksTask
from procgen_bench.tasks.programs.zones import REACH_HIGH, REACH_LOW, RESTING_HEIGHT


class FetchBlocksTaskSpace(TaskSpace[FetchBlocksTask]):
    """FetchBlocks' task space: N blocks, the gripper and a goal for each block, within the arm's reach.

    Raw parameters, float64, so that every task has parameters that decode to it:

    - ``places``: (N, 2), x in [1.15, 1.45] and y in [0.45, 1.05], where each block is put down. One without room
      (another less than 0.058 away along x and 0.085 along y) ends up on top of the nearest stack.
    - ``heights``: (N,) in [0, 1]; lower blocks are put down first, the first of equals before the others.
    - ``gripper``: (3,), where the gripper starts, z in [0.45, 0.75]; raised where a stack is in its way.
    - ``first``: (N,) logits in [-1, 1] of the block to act on; the greatest decides, the first of equals.
    - ``held``: (1,) in [-1, 1]; where it is positive, that block starts in the gripper instead.
    - ``goal``: (N, 3), the desired places, z in [0.425, 0.7].

    With ``materials`` also:

    - ``mass``: (1,) in [0.5, 4], kilograms of each block.
    - ``friction``: (1,) in [0.1, 2], the coefficient of the blocks' sliding friction.

    ``sample`` is uniform over these numbers: every block has a goal of its own, which can rarely be met in 50 steps, or
    at all. What the environment's resets draw is ``sample_task``'s: the starts of the paper's section D.1, and goals
    for the block to act on. Valid, but without parameters, are tasks with a goal beyond these bounds, or with another
    block than the first in the gripper, or, without ``materials``, with other masses or frictions than the usual.

    No list of actions moves blocks without the physics to tell what comes of them: the solver is the scripted expert
    in the simulation, which ``make_task_space`` hands over.

    Args:
        num_blocks: Number of blocks, N, 2 to 6. Suites are of 4.
        solver: See :class:`TaskSpace`.
        materials: Whether masses and frictions are among the parameters, and drawn; otherwise they are 2 kg and 1.
    """

    task_type = FetchBlocksTask
    task_count = more_than(40)  # places in float64
    choices = frozenset({"first"})

    def __init__(
        self,
        num_blocks: int = SUITE_BLOCKS,
        solver: Solver[FetchBlocksTask] | None = None,
        materials: bool = False,
    ):
        super().__init__(solver)
        self.num_blocks, self.materials = num_blocks, materials
        self.suites = SUITES if num_blocks == SUITE_BLOCKS else NO_SUITES

    @cached_property
    def space(self) -> spaces.Dict:
        """The raw parameters; see the class."""
        goal = box((*REACH_LOW, RESTING_HEIGHT), (*REACH_HIGH, GOAL_HIGH), (self.num_blocks, 1))
        leaves = start_spaces(self.num_blocks) | {"goal": goal}
        if self.materials:
            leaves |= {name: spaces.Box(*bounds, (1,), np.float64) for name, bounds in MATERIALS.items()}
        return spaces.Dict(leaves)

    def sample_task(self, rng: np.random.Generator, randomness: float = 0.0) -> FetchBlocksTask:
        """A task of the paper's distribution; see :func:`procgen_bench.tasks.fetch_blocks.draws.draw_start`.

        Masses and frictions, where they are parameters, are uniform.
        """
        task = draw_task(rng, self.num_blocks, randomness)
        return replace(task, **_drawn_materials(rng)) if self.materials else task

    def _decode(self, params: Parameters) -> FetchBlocksTask:
        start, first = decode_start(params)
        materials = {name: float(params[name][0]) for name in MATERIALS} if self.materials else {}
        return FetchBlocksTask(start, first, params["goal"], **materials)

    def encode(self, task: FetchBlocksTask) -> Parameters:
        """The places as they are; heights tell the levels apart. Shapes and dtypes are those of the class.

        Raises:
            InvalidTaskError: The goal is beyond the parameters' bounds, another block than the first is held, or masses
                or frictions are no parameters and not the usual ones.
        """
        bounds = self.space["goal"]
        assert isinstance(bounds, spaces.Box)  # see above
        if not bounds.contains(task.goal):
            low, high = bounds.low[0].tolist(), bounds.high[0].tolist()
            raise InvalidTaskError("goal", task.goal.tolist(), f"places from {low} to {high}, to have parameters")
        params = encode_start(task.start, task.first) | {"goal": task.goal.copy()}
        if self.materials:
            return params | {name: np.array([getattr(task, name)]) for name in MATERIALS}
        for name, usual in USUAL_MATERIALS.items():
            if getattr(task, name) != usual:
                expected = f"{usual}, to have parameters (or a task space with materials=True)"
                raise InvalidTaskError(name, getattr(task, name), expected)
        return params

    def plain(self, task: FetchBlocksTask | Mapping[str, np.ndarray] | str) -> str | dict[str, Any]:
        """See :meth:`.TaskSpace.plain`; of a task without parameters ``{"text": ...}``, its :meth:`.to_text`."""
        if not isinstance(task, FetchBlocksTask):
            return super().plain(task)
        try:
            return super().plain(self.encode(task))
        except InvalidTaskError:
            return {"text": task.to_text()}

    def resolve(self, task: Task | Mapping[str, Any] | str) -> FetchBlocksTask:
        """See :meth:`.TaskSpace.resolve`; what :meth:`plain` gave of a task without parameters is taken, too."""
        if isinstance(task, Mapping) and task.keys() == {"text"}:
            return super().resolve(FetchBlocksTask.from_text(task["text"]))
        return super().resolve(task)

    def mutate(self, task: FetchBlocksTask, rng: np.random.Generator) -> FetchBlocksTask:
        """A block put down elsewhere, the gripper, the goal, or where they are parameters the mass and the friction
        redrawn, each equally likely."""
        parts = ("places", "gripper", "goal", "materials")[: 4 if self.materials else 3]
        changed = parts[rng.integers(len(parts))]
        if changed == "materials":
            return replace(task, **_drawn_materials(rng))
        if changed == "goal":
            return replace(task, goal=draw_goal(rng, task.start, task.first))
        params, fresh = self.encode(task), self.sample(rng)
        if changed == "places":
            change_block(params, fresh, int(rng.integers(self.num_blocks)))
        else:
            params["gripper"] = fresh["gripper"]
        return self._decode(params)

    def validate(self, task: FetchBlocksTask) -> None:
        """See :meth:`FetchBlocksTask.validate`; it has this space's number of blocks.

        Raises:
            InvalidTaskError: It is not valid, or has another number of blocks.
        """
        task.validate()
        if task.start.num_blocks != self.num_blocks:
            raise InvalidTaskError("number of blocks", task.start.num_blocks, f"{self.num_blocks} (num_blocks)")


def _drawn_materials(rng: np.random.Generator) -> dict[str, Any]:
    return {name: float(rng.uniform(*bounds)) for name, bounds in MATERIALS.items()}

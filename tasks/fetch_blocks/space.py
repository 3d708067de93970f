"""FetchBlocksTaskSpace: places of blocks, gripper and goals between a teacher and the tasks."""

from dataclasses import replace
from functools import cached_property

import numpy as np
from gymnasium import spaces

from procgen_bench.errors import InvalidTaskError
from procgen_bench.task_space import Parameters, TaskSpace
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.fetch_blocks.draws import draw_goal, draw_task
from procgen_bench.tasks.fetch_blocks.stacking import stack
from procgen_bench.tasks.fetch_blocks.start import HELD, FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.suites import SUITE_NAMES, load_suite
from procgen_bench.tasks.fetch_blocks.table import (
    GOAL_HIGH,
    GRIPPER_HIGH,
    GRIPPER_LOW,
    MOST_BLOCKS,
    REACH_HIGH,
    REACH_LOW,
    least_gripper_height,
)
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT

#: Blocks of the suites' tasks.
SUITE_BLOCKS = 4


class FetchBlocksTaskSpace(TaskSpace):
    """FetchBlocks' task space: N blocks, the gripper and a goal for each block, within the arm's reach.

    Raw parameters, float64, so that every task has parameters that decode to it:

    - ``places``: (N, 2), x in [1.15, 1.45] and y in [0.45, 1.05], where each block is put down. One without room
      (another less than 0.058 away along x and 0.085 along y) comes to stand on top of the nearest stack.
    - ``heights``: (N,) in [0, 1]; lower blocks are put down first, the first of equals before the others.
    - ``gripper``: (3,), where the gripper starts, z in [0.45, 0.75]; raised where a stack is in its way.
    - ``first``: (N,) logits in [-1, 1] of the block to act on; the greatest decides, the first of equals.
    - ``held``: (1,) in [-1, 1]; where it is positive, that block starts in the gripper instead.
    - ``goal``: (N, 3), the desired places, z in [0.425, 0.7].

    ``sample`` is uniform over these numbers: every block has a goal of its own, which can rarely be met in 50 steps, or
    at all. What the environment's resets draw is ``sample_task``'s: the starts of the paper's section D.1, and goals
    for the block to act on. Valid, but without parameters, are tasks with a goal beyond these bounds, or with another
    block than the first in the gripper.

    There is no list of actions that moves blocks without the physics to tell what they come to, so ``solve`` is not
    implemented. The policy ``fetch-expert`` plays.

    Args:
        num_blocks: Number of blocks, N, 2 to 6. Suites are of 4.
    """

    task_type = FetchBlocksTask

    def __init__(self, num_blocks: int = SUITE_BLOCKS):
        self.num_blocks = num_blocks
        self.suite_names = SUITE_NAMES if num_blocks == SUITE_BLOCKS else ()

    @cached_property
    def space(self) -> spaces.Dict:
        """The raw parameters; see the class."""
        count = self.num_blocks
        return spaces.Dict(
            {
                "first": spaces.Box(-1.0, 1.0, (count,), np.float64),
                "goal": _box((*REACH_LOW, RESTING_HEIGHT), (*REACH_HIGH, GOAL_HIGH), (count, 1)),
                "gripper": _box((*REACH_LOW, GRIPPER_LOW), (*REACH_HIGH, GRIPPER_HIGH)),
                "heights": spaces.Box(0.0, 1.0, (count,), np.float64),
                "held": spaces.Box(-1.0, 1.0, (1,), np.float64),
                "places": _box(REACH_LOW, REACH_HIGH, (count, 1)),
            }
        )

    def sample_task(self, rng: np.random.Generator, randomness: float = 0.0) -> FetchBlocksTask:
        """A task of the paper's distribution; see :func:`procgen_bench.tasks.fetch_blocks.draws.draw_start`."""
        return draw_task(rng, self.num_blocks, randomness)

    def _decode(self, params: Parameters) -> FetchBlocksTask:
        first, held = int(params["first"].argmax()), bool(params["held"][0] > 0)
        lying = np.array([block for block in range(self.num_blocks) if not (held and block == first)])
        order = lying[np.argsort(params["heights"][lying], kind="stable")]
        places, levels = stack(params["places"], order)
        gripper = params["gripper"].copy()
        if held:
            places[first], levels[first] = gripper[:2], HELD
        lowest = least_gripper_height(gripper, places[lying], levels[lying])
        gripper[2] = max(gripper[2], lowest)
        return FetchBlocksTask(FetchBlocksStart(places, levels, gripper), first, params["goal"])

    def encode(self, task: FetchBlocksTask) -> Parameters:
        """The places as they are; heights tell the levels apart.

        Raises:
            InvalidTaskError: The goal is beyond the parameters' bounds, or another block than the first is held.
        """
        start, bounds = task.start, self.space["goal"]
        if start.held not in (None, task.first):
            raise InvalidTaskError("held block", start.held, f"{task.first}, the first, to have parameters")
        if not bounds.contains(task.goal):
            low, high = bounds.low[0].tolist(), bounds.high[0].tolist()
            raise InvalidTaskError("goal", task.goal.tolist(), f"places from {low} to {high}, to have parameters")
        return {
            "first": np.where(np.arange(self.num_blocks) == task.first, 1.0, -1.0),
            "goal": task.goal.copy(),
            "gripper": start.gripper.copy(),
            "heights": np.maximum(start.levels, 0) / MOST_BLOCKS,
            "held": np.array([-1.0 if start.held is None else 1.0]),
            "places": start.places.copy(),
        }

    def mutate(self, task: FetchBlocksTask, rng: np.random.Generator) -> FetchBlocksTask:
        """A block put down elsewhere, the gripper, or the goal drawn anew, each equally likely."""
        changed = ("places", "gripper", "goal")[rng.integers(3)]
        if changed == "goal":
            return replace(task, goal=draw_goal(rng, task.start, task.first))
        params, fresh = self.encode(task), self.sample(rng)
        if changed == "places":
            block = rng.integers(self.num_blocks)
            params["places"][block], params["heights"][block] = fresh["places"][block], 1.0
        else:
            params["gripper"] = fresh["gripper"]
        return self._decode(params)

    def validate(self, task: FetchBlocksTask) -> None:
        """See :meth:`FetchBlocksTask.validate`; it has this space's number of blocks."""
        task.validate()
        if task.start.num_blocks != self.num_blocks:
            raise InvalidTaskError("number of blocks", task.start.num_blocks, f"{self.num_blocks} (num_blocks)")

    def _load_suite(self, name: str) -> TaskSuite:
        return load_suite(name)


def _box(low, high, rows: tuple[int, ...] = (1,)) -> spaces.Box:
    """What lies between two points, or rows of it."""
    return spaces.Box(np.tile(np.float64(low), rows), np.tile(np.float64(high), rows), dtype=np.float64)

"""BitGridTaskSpace: a start and a square of logits between a teacher and the tasks."""

import hashlib
from functools import cached_property

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.suites import NO_SUITES
from procgen_bench.core.symmetries import images_of_square, mark_of_least
from procgen_bench.core.task_count import TaskCount
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.bit_grid.goals import GOAL_STEPS, draw_goal, draw_start
from procgen_bench.tasks.bit_grid.solver import solve
from procgen_bench.tasks.bit_grid.suites import SUITES
from procgen_bench.tasks.bit_grid.task import MAX_SIDE, MIN_SIDE, ON, SIDE, BitGridTask

_MAX_LOGIT = 1.0


class BitGridTaskSpace(TaskSpace[BitGridTask]):
    """BitGrid's task space (Sibling Rivalry, section 4).

    Raw parameters:

    - ``start``: float32 (2,) in [0, side], x and y; the agent starts in the cell that holds the point.
    - ``goal``: float32 (side, side) in [1 - side * side / 8, 1], a logit per cell [y, x]: bits above 0 must be on, and
      so must the greatest, the first of equals, whatever its sign.

    ``sample`` is uniform over these numbers: 8 bits of its goals are on in the mean, anywhere. The paper's goals, which
    ``sample_task`` and the environment's resets draw, are the trail of a wandering agent: 2, 4, 6 or 8 bits, close by.

    Args:
        side: Side of the grid, 3 to 32. The suites are for 13, the paper's.

    Raises:
        InvalidOptionError: ``side`` is no integer from 3 to 32.
    """

    task_type = BitGridTask
    fresh_share = 0.25
    told_apart_by = "their goals"

    def __init__(self, side: int = SIDE):
        if not isinstance(side, int | np.integer) or isinstance(side, bool) or not MIN_SIDE <= side <= MAX_SIDE:
            raise InvalidOptionError(f"side is {side!r}, expected an integer in [{MIN_SIDE}, {MAX_SIDE}]")
        super().__init__()
        self.side = int(side)
        num_goals = 2**self.side**2 - 1
        self.task_count = TaskCount(num_goals * self.side**2, num_goals, exact=True)
        self.suites = SUITES if side == SIDE else NO_SUITES
        # A uniform logit is above 0 with probability GOAL_STEPS / side ** 2.
        self._min_logit = _MAX_LOGIT - side**2 / GOAL_STEPS

    @cached_property
    def space(self) -> spaces.Dict:
        """The raw parameters; see the class."""
        return spaces.Dict(
            {
                "goal": spaces.Box(self._min_logit, _MAX_LOGIT, (self.side, self.side), np.float32),
                "start": spaces.Box(0.0, self.side, (2,), np.float32),
            }
        )

    def sample_task(self, rng: np.random.Generator) -> BitGridTask:
        """A task as the environment's resets draw it: a uniform start, and a goal of the paper's distribution."""
        start, goal = np.empty(2, np.int8), np.empty((self.side, self.side), np.int8)
        stream = draw_start(rng.integers(2**64, dtype=np.uint64), self.side, start)
        draw_goal(np.uint64(stream), goal)
        return BitGridTask(start, goal)

    def _decode(self, params: Parameters) -> BitGridTask:
        goal = (params["goal"] > 0).astype(np.int8)
        goal.flat[params["goal"].argmax()] = ON
        return BitGridTask(np.minimum(params["start"], self.side - 1).astype(np.int8), goal)

    def encode(self, task: BitGridTask) -> Parameters:
        """The greatest logit for bits that are on, the least for the others, and the start's centre; float32."""
        return {
            "goal": np.where(task.goal == ON, _MAX_LOGIT, self._min_logit).astype(np.float32),
            "start": (task.start + 0.5).astype(np.float32),
        }

    def mutate(self, task: BitGridTask, rng: np.random.Generator) -> BitGridTask:
        """One of the goal's bits toggled or the start redrawn, each equally likely; some bit stays on."""
        start, goal = task.start, task.goal.copy()
        changed = int(rng.integers(goal.size + 1))
        if changed == goal.size:
            start = rng.integers(self.side, size=2).astype(np.int8)
        else:
            goal.flat[changed] ^= ON
        return BitGridTask(start, goal) if goal.any() else self.mutate(task, rng)

    def hold_out_marks(self, task: BitGridTask) -> frozenset[str]:
        """One of the goal: it is the same bitmap from every start."""
        return frozenset((hashlib.sha256(task.goal.tobytes()).hexdigest(),))

    def symmetry_marks(self, task: BitGridTask) -> frozenset[str]:
        """One of the goal, rotated or reflected."""
        return mark_of_least(images_of_square(task.goal))

    def validate(self, task: BitGridTask) -> None:
        """See :meth:`BitGridTask.validate`."""
        task.validate(self.side)

    def solve(self, task: BitGridTask) -> np.ndarray | None:
        """See :func:`procgen_bench.tasks.bit_grid.solver.solve`."""
        return solve(task)

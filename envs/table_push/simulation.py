"""TablePushSimulation: a table, the cans on it, and pushes one after the other. Knows no Gymnasium."""

from typing import NamedTuple

import numpy as np

from procgen_bench.envs.table_push.pushing import push
from procgen_bench.envs.table_push.rewards import Judgement, judge
from procgen_bench.envs.table_push.scene import Arm, Scene
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import NUM_DIRECTIONS, TARGET


class SavedState(NamedTuple):
    """All that decides how an episode goes on: between pushes nothing moves.

    Attributes:
        task: The task.
        positions: float64 (3, 2), where the cans stand; NaN for those that are absent or have fallen.
    """

    task: TablePushTask
    positions: np.ndarray


class TablePushSimulation:
    """One task's table. Everything follows from the task and the pushes, bit for bit; there is no chance.

    Attributes:
        scene: The world in which pushes are simulated.
        task: The task.
        positions: float64 (3, 2), metres: where the cans stand; NaN for those that are absent or have fallen. Every
            push makes a new array.
        success, fallen, collided: What the last push has come to; all false before the first.

    Args:
        arm: What moves the tool; ``None``: the tool alone.
    """

    task: TablePushTask
    positions: np.ndarray

    def __init__(self, arm: Arm | None = None):
        self.scene = Scene(arm)

    def load(self, task: TablePushTask) -> None:
        """Begin with this task."""
        self.restore(SavedState(task, task.objects))

    def push(self, action: int) -> Judgement:
        """Push can ``action // 4`` in direction ``action % 4`` (+x, -x, +y, -y)."""
        can, direction = divmod(action, NUM_DIRECTIONS)
        before = self.target_distance()
        outcome = push(self.scene, self.task, self.positions, can, direction)
        self.positions, self.fallen, self.collided = outcome.positions, outcome.fallen, outcome.collided
        judgement = judge(before, self.target_distance(), self.task.goal_range, self.fallen, self.collided)
        self.success = judgement.success
        return judgement

    def target_distance(self) -> float:
        """How far the target stands from the goal's middle (metres); NaN where it is absent."""
        return float(np.hypot(*(self.positions[TARGET] - self.task.goal)))

    def save(self) -> SavedState:
        """The whole state, from which :meth:`restore` goes on exactly, in any simulation with such an arm."""
        return SavedState(self.task, self.positions.copy())

    def restore(self, state: SavedState) -> None:
        """Go on from a state that :meth:`save` returned."""
        self.task, self.positions = state.task, state.positions.copy()
        self.success = self.fallen = self.collided = False

    def close(self) -> None:
        """Close the world; it is opened again when needed."""
        self.scene.close()

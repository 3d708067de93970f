"""TablePushSimulation: a table, the cans on it, and pushes one after the other. Knows no Gymnasium."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from procgen_bench.envs.table_push.remembered import RememberedPushes
from procgen_bench.envs.table_push.rewards import PushReward, reward_push
from procgen_bench.envs.table_push.scene import Arm, Scene
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import NUM_DIRECTIONS, TARGET

#: What a physics vector has for cans that are absent or have fallen, in x and y: no place on a table.
_NOWHERE = -1.0
#: Attributes that are saved; none of them is changed in place.
_STATE = ("positions", "success", "fallen", "collided")
#: Pushes that are remembered: some two megabytes.
_REMEMBERED = 4_096


class TablePushSimulation:
    """One task's table. Everything follows from the task and the pushes, bit for bit; there is no chance.

    Attributes:
        scene: The world in which pushes are simulated.
        pushed: What came of pushes, of which none is simulated twice soon after.
        task: The task.
        positions: float64 (3, 2), metres: where the cans stand; NaN for those that are absent or have fallen. Every
            push makes a new array.
        pushes: Those of the episode: where the cans stood, and the action.
        success, fallen, collided: Results of the last push; all false before the first.

    Args:
        arm: What moves the tool; ``None``: the tool alone.
    """

    task: TablePushTask
    positions: np.ndarray
    pushes: tuple[tuple[np.ndarray, int], ...]

    def __init__(self, arm: Arm | None = None):
        self.scene = Scene(arm)
        self.pushed = RememberedPushes(self.scene, _REMEMBERED)

    def load(self, task: TablePushTask) -> None:
        """Begin with this task."""
        self.task, self.positions = task, task.objects.copy()
        self.success = self.fallen = self.collided = False
        self.pushes = ()

    @property
    def elapsed(self) -> int:
        """Number of pushes."""
        return len(self.pushes)

    def push(self, action: int) -> PushReward:
        """Push can ``action // 4`` in direction ``action % 4`` (+x, -x, +y, -y)."""
        can, direction = divmod(action, NUM_DIRECTIONS)
        before = self.target_distance()
        self.pushes = (*self.pushes, (self.positions, action))
        outcome = self.pushed(self.task, self.positions, can, direction)
        self.positions, self.fallen, self.collided = outcome.positions, outcome.fallen, outcome.collided
        earned = reward_push(before, self.target_distance(), self.task.goal_range, self.fallen, self.collided)
        self.success = earned.success
        return earned

    def target_distance(self) -> float:
        """How far the target stands from the goal's middle (metres); NaN where it is absent."""
        return float(np.hypot(*(self.positions[TARGET] - self.task.goal)))

    def save(self) -> dict[str, Any]:
        """All that decides how the task continues (between pushes nothing moves), and the results of the last push."""
        before = np.array([positions for positions, _ in self.pushes]).reshape(-1, *self.positions.shape)
        actions = np.array([action for _, action in self.pushes], np.int64)
        return {name: getattr(self, name) for name in _STATE} | {"pushed_from": before, "pushed": actions}

    def restore(self, task: TablePushTask, saved: Mapping[str, Any]) -> None:
        """Go on with ``task`` from what :meth:`save` gave, exactly, in any simulation with such an arm."""
        self.task = task
        for name in _STATE:
            setattr(self, name, saved[name])
        self.pushes = tuple(zip(saved["pushed_from"], saved["pushed"].tolist(), strict=True))

    def physics_vector(self) -> np.ndarray:
        """float64 (6,): x and y of the cans, metres, (-1, -1) for those that are absent or have fallen."""
        return np.where(np.isnan(self.positions), _NOWHERE, self.positions).ravel()

    def restore_physics(self, vector: np.ndarray) -> None:
        """Put the cans back to the places that :meth:`physics_vector` gave, float64 (6,)."""
        places = vector.reshape(self.positions.shape)
        self.positions = np.where(np.isnan(self.positions), self.positions, places)

    def close(self) -> None:
        """Close the world; it is opened again when needed."""
        self.scene.close()

"""RememberedPushes: pushes that have been simulated before are not simulated again."""

import numpy as np

from procgen_bench.envs.table_push.pushing import PushOutcome, cans_in_reach, push
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import TablePushTask


class RememberedPushes:
    """What :func:`push` gives, bit for bit: it depends on nothing but the table and the cans in the push's reach.

    A student on one target tries a few hundred pushes again and again.

    Attributes:
        simulated: Number of pushes that were not known, nor of absent cans.

    Args:
        scene: In which pushes are simulated.
        most: Pushes that are remembered, some half a kilobyte each; the oldest goes first. ``None``: all.
    """

    def __init__(self, scene: Scene, most: int | None = None):
        self._scene, self._most = scene, most
        self._known: dict[tuple[str, int, int, bytes], PushOutcome] = {}
        self.simulated = 0

    def __call__(self, task: TablePushTask, positions: np.ndarray, can: int, direction: int) -> PushOutcome:
        """As :func:`push`, whose further arguments these are."""
        if np.isnan(positions[can, 0]):
            return PushOutcome(positions)
        near = cans_in_reach(positions, can, direction)[:, None]
        here = np.where(near, positions, np.nan)
        key = (task.fingerprint(), can, direction, here.tobytes())
        outcome = self._known.get(key)
        if outcome is None:
            outcome = self._known[key] = push(self._scene, task, here, can, direction)
            self.simulated += 1
            if self._most is not None and len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return PushOutcome(np.where(near, outcome.positions, positions), outcome.fallen, outcome.collided)

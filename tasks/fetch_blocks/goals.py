"""When a goal is met: every block within a sphere round its desired place."""

import numpy as np

from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD


def goal_reached(achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """Whether all blocks are where they are desired: bool (...).

    Args:
        achieved, desired: Numbers (..., 3 N), the blocks' centres one after the other.
    """
    offsets = np.subtract(achieved, desired, dtype=np.float64)
    offsets = offsets.reshape(*offsets.shape[:-1], -1, 3)
    return ((offsets * offsets).sum(axis=-1) <= DISTANCE_THRESHOLD**2).all(axis=-1)

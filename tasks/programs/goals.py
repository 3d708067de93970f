"""When a goal is met: every block within a sphere round its desired place."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD


def goal_reached(achieved: np.ndarray, desired: np.ndarray, within: float = DISTANCE_THRESHOLD) -> np.ndarray:
    """Whether all blocks are where they are desired, the paper's f(s, g): bool (...).

    Args:
        achieved, desired: Numbers (..., 3 N), the blocks' centres one after the other; they are broadcast.
        within: The greatest distance, in metres; by default the paper's.
    """
    achieved, desired = np.asarray(achieved, np.float64), np.asarray(desired, np.float64)
    if achieved.shape != desired.shape:  # which steps spare themselves
        achieved, desired = np.broadcast_arrays(achieved, desired)
    shape = achieved.shape[:-1]
    results = np.empty(math.prod(shape), np.bool_)
    size = achieved.shape[-1]
    _write_reached(_rows(achieved, size), _rows(desired, size), within, results)
    return results.reshape(shape)[()]


def _rows(goals: np.ndarray, size: int) -> np.ndarray:
    return np.ascontiguousarray(goals).reshape(-1, size)


@njit
def _write_reached(achieved, desired, within, results):
    for i in range(achieved.shape[0]):
        results[i] = True
        for at in range(0, achieved.shape[1], 3):
            dx = achieved[i, at] - desired[i, at]
            dy = achieved[i, at + 1] - desired[i, at + 1]
            dz = achieved[i, at + 2] - desired[i, at + 2]
            if not math.sqrt(dx * dx + dy * dy + dz * dz) <= within:
                results[i] = False

"""The distance between points, twice: of arrays, and compiled, of what one row observes. Both give the same bits."""

import numpy as np

from procgen_bench.core.compiled import njit


def goal_distance(achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """L2 distance between points ``achieved`` and ``desired``, (..., 2) of any dtype, in their unit: float64 (...).

    Of float32 observations it is, bit for bit, what the compiled rules hold against ``GOAL_RADIUS``.
    """
    difference = np.asarray(achieved, np.float64) - np.asarray(desired, np.float64)
    return np.sqrt(difference[..., 0] * difference[..., 0] + difference[..., 1] * difference[..., 1])


@njit(inline="always")
def observed_distance(x, y, goal_x, goal_y):
    """L2 distance (float64) between two points of observed coordinates (float32).

    Rules hold a goal against what is observed, so that a reward computed from observations is the same.
    """
    off_x = np.float64(x) - np.float64(goal_x)
    off_y = np.float64(y) - np.float64(goal_y)
    return np.sqrt(off_x * off_x + off_y * off_y)

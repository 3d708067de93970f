"""The compiled outcome of a step, the same in every world of points."""

import numpy as np
from numba import njit

from procgen_bench.tasks.point_maze.task import GOAL_RADIUS

SUCCESS_REWARD = 1.0


@njit(inline="always")
def judged(seen_x, seen_y, goal_x, goal_y, at_distance_step):
    """Whether the agent has reached its goal, and its reward.

    The goal is held against what is observed, so that a reward computed from observations is the same.

    Args:
        seen_x, seen_y, goal_x, goal_y: float32, as observed.
        at_distance_step: Whether a failure is rewarded by minus the distance.
    """
    off_x = np.float64(seen_x) - np.float64(goal_x)
    off_y = np.float64(seen_y) - np.float64(goal_y)
    distance = np.sqrt(off_x * off_x + off_y * off_y)
    solved = distance <= GOAL_RADIUS
    failure = -distance if at_distance_step else 0.0
    return solved, SUCCESS_REWARD if solved else failure

"""Solver of the track: a walk along the ring, which has no shorter way."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS, MAX_STEP
from procgen_bench.tasks.point_maze.track.motion import travel
from procgen_bench.tasks.point_maze.track.task import TrackTask

#: Actions tried for each axis, on either side of 0.
_FINENESS = 24
#: More steps than any walk needs: one of 5 steps leads from end to end.
_MOST_STEPS = 20


def solve(task: TrackTask) -> np.ndarray:
    """Actions (float32 (steps, 2)) that reach the goal.

    Every step is, of 49 x 49 actions, the one that ends closest to the goal if one ends within its radius, and else the
    one that gets farthest along the track towards it without passing it.
    """
    return _walk(*task.start, *task.goal)


@njit
def _walk(x, y, goal_x, goal_y):
    actions = np.empty((_MOST_STEPS, 2), np.float32)
    goal_angle = math.atan2(goal_y, goal_x) % math.tau
    # Goals are held against what is observed, in float32.
    seen_goal_x, seen_goal_y = np.float64(np.float32(goal_x)), np.float64(np.float32(goal_y))
    for step in range(_MOST_STEPS):
        way = goal_angle - math.atan2(y, x) % math.tau
        least_distance, most_progress = np.inf, -np.inf
        next_x, next_y = x, y
        for i in range(-_FINENESS, _FINENESS + 1):
            for j in range(-_FINENESS, _FINENESS + 1):
                action_x, action_y = MAX_STEP * np.float32(i / _FINENESS), MAX_STEP * np.float32(j / _FINENESS)
                new_x, new_y = travel(x, y, np.float64(action_x), np.float64(action_y))
                off_x = np.float64(np.float32(new_x)) - seen_goal_x
                off_y = np.float64(np.float32(new_y)) - seen_goal_y
                distance = np.sqrt(off_x * off_x + off_y * off_y)
                left = goal_angle - math.atan2(new_y, new_x) % math.tau
                progress = abs(way) - abs(left) if left * way >= 0 else -np.inf
                if distance <= GOAL_RADIUS:
                    better = distance < least_distance
                else:
                    better = least_distance == np.inf and progress > most_progress
                if better:
                    actions[step, 0], actions[step, 1] = action_x, action_y
                    next_x, next_y = new_x, new_y
                    most_progress = progress
                    if distance <= GOAL_RADIUS:
                        least_distance = distance
        x, y = next_x, next_y
        if least_distance < np.inf:
            return actions[: step + 1].copy()
    raise RuntimeError("the walk along the track did not reach its goal")

"""The U-maze of SparseAntMaze: its measures, which of its points are free, and the way around its wall."""

from itertools import pairwise

import numpy as np

#: Least and greatest x and y of the maze.
LOW, HIGH = -4.0, 20.0
#: Least and greatest x and y of the wall inside, which leaves a passage on its right only.
WALL_X, WALL_Y = (LOW, 12.0), (4.0, 12.0)

#: The paper's starts: the origin; it says "near", which here is at most this much along x and y.
START_NOISE = 0.1
#: The paper's goals: least and greatest x, and y.
GOAL_X, GOAL_Y = (-3.5, 3.5), (12.5, 19.5)


def is_free(point: np.ndarray, gap: float) -> bool:
    """Whether ``point`` (numbers of any dtype, (2,), metres) is in the maze and, along each axis, at least ``gap``
    metres off every wall."""
    x, y = point.tolist()
    if not (LOW + gap <= x <= HIGH - gap and LOW + gap <= y <= HIGH - gap):  # also true for NaN
        return False
    return not (x < WALL_X[1] + gap and WALL_Y[0] - gap < y < WALL_Y[1] + gap)


def nearest_free(point: np.ndarray, gap: float) -> np.ndarray:
    """``point`` (float64 (2,), metres) where it is free, with ``gap`` metres (as of :func:`is_free`); otherwise the
    nearest point that is."""
    inside = np.clip(point, LOW + gap, HIGH - gap)
    if is_free(inside, gap):
        return inside
    x, y = inside.tolist()
    ways_out = np.array([[WALL_X[1] + gap, y], [x, WALL_Y[0] - gap], [x, WALL_Y[1] + gap]])
    return ways_out[np.abs(ways_out - inside).sum(axis=1).argmin()]


def shortest_way(start: np.ndarray, goal: np.ndarray, gap: float) -> np.ndarray:
    """The points (float64 (N, 2), metres) of the shortest way from ``start`` to ``goal`` (float64 (2,)) that keeps
    ``gap`` metres off the wall.

    It begins and ends at the free points nearest to ``start`` and ``goal``, and turns at corners of the wall inside.
    """
    first, last = nearest_free(start, gap), nearest_free(goal, gap)
    below = np.array([WALL_X[1] + gap, WALL_Y[0] - gap])
    above = np.array([WALL_X[1] + gap, WALL_Y[1] + gap])
    ways = [
        np.array([first, *corners, last])
        for corners in ((), (below,), (above,), (below, above), (above, below))
        if _clear([first, *corners, last], gap)
    ]
    return min(ways, key=way_length)


def way_length(way: np.ndarray) -> float:
    """Length, metres, of a way through points, float64 (N, 2), metres."""
    steps = np.diff(way, axis=0)
    return float(np.sqrt((steps * steps).sum(axis=1)).sum())


def _clear(way: list[np.ndarray], gap: float) -> bool:
    return all(_segment_clear(one, other, gap) for one, other in pairwise(way))


def _segment_clear(one: np.ndarray, other: np.ndarray, gap: float) -> bool:
    """Whether a segment between free points stays ``gap`` off the wall inside."""
    (lower_x, lower_y), (upper_x, upper_y) = sorted((one.tolist(), other.tolist()), key=lambda point: point[1])
    low, high = WALL_Y[0] - gap, WALL_Y[1] + gap
    if upper_y <= low or lower_y >= high:
        return True
    if upper_y == lower_y:
        return True  # both ends are free, so both are right of the wall

    def x_at(y: float) -> float:
        return lower_x + (upper_x - lower_x) * (y - lower_y) / (upper_y - lower_y)

    return min(x_at(max(low, lower_y)), x_at(min(high, upper_y))) >= WALL_X[1] + gap

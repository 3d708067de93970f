"""How far an episode can reach at most: the proof that a goal is too far."""

from collections.abc import Iterator

import numpy as np

from procgen_bench.tasks.point_maze.distance import goal_distance
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS, HORIZON, MAX_STEP, WALL_GAP
from procgen_bench.tasks.point_maze.walls import DOWN, LEFT, PADDED_SIDE, RIGHT, UP, cell_of

#: A step changes a coordinate by the action, and the gap at a wall may push the agent this much further.
_GREATEST_REACH = float(MAX_STEP) + WALL_GAP
#: Observations are rounded to float32, which brings the agent and the goal closer by less than this.
ROUNDING = 5e-6

_DIRECTIONS = [(right, up) for right in (-1, 0, 1) for up in (-1, 0, 1)]
_SIDE_X, _SIDE_Y = {-1: LEFT, 0: 0, 1: RIGHT}, {-1: DOWN, 0: 0, 1: UP}


def may_reach(bits: np.ndarray, start: np.ndarray, goal: np.ndarray) -> bool:
    """Whether the goal may be reached within the horizon of 50 steps; ``False`` is proven.

    Args:
        bits: uint8 (13, 13), the padded cells' walled sides.
        start, goal: float64 (2,).
    """
    return any(
        goal_distance(np.clip(goal, low, high), goal).min() <= GOAL_RADIUS + ROUNDING
        for low, high in _reached_rectangles(bits, start)
    )


def _reached_rectangles(bits: np.ndarray, start: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """After every step of an episode, a rectangle in each cell that holds all points that may have been reached.

    A step leads from a rectangle to whatever is within its reach in the same cell, in a neighbour behind no wall, and
    in a diagonal one that has a way over either cell between, whichever corner would be in the way. Cells not reached
    have rectangles from infinity to minus infinity.

    Yields:
        Least and greatest coordinates, float64 (13, 13, 2) each, [row + 1, column + 1].
    """
    rows, columns = np.mgrid[:PADDED_SIDE, :PADDED_SIDE] - 1.0
    centres = np.stack([columns, rows], axis=-1)
    sides = bits[..., np.newaxis]
    region_low = centres - np.where(sides & (LEFT, DOWN), 0.5 - WALL_GAP, 0.5)
    region_high = centres + np.where(sides & (RIGHT, UP), 0.5 - WALL_GAP, 0.5)
    free = {direction: _free(bits, *direction)[..., np.newaxis] for direction in _DIRECTIONS}
    low, high = np.full_like(centres, np.inf), np.full_like(centres, -np.inf)
    column, row = cell_of(start)
    low[row + 1, column + 1] = high[row + 1, column + 1] = start
    for _ in range(HORIZON):
        last_low, last_high = low, high
        for right, up in _DIRECTIONS:
            # Seen from the cells that are left, then rolled onto those that are entered.
            least = np.roll(np.where(free[right, up], last_low - _GREATEST_REACH, np.inf), (up, right), axis=(0, 1))
            most = np.roll(np.where(free[right, up], last_high + _GREATEST_REACH, -np.inf), (up, right), axis=(0, 1))
            least, most = np.maximum(least, region_low), np.minimum(most, region_high)
            reached = (least <= most).all(axis=-1, keepdims=True)
            low = np.where(reached, np.minimum(low, least), low)
            high = np.where(reached, np.maximum(high, most), high)
        yield low, high


def _free(bits: np.ndarray, right: int, up: int) -> np.ndarray:
    """bool (13, 13): whether walls leave a way from each cell to the one ``right`` and ``up`` of it (-1, 0 or 1)."""
    side_x, side_y = _SIDE_X[right], _SIDE_Y[up]
    over_x = (bits & side_x == 0) & (np.roll(bits, -right, axis=1) & side_y == 0)
    over_y = (bits & side_y == 0) & (np.roll(bits, -up, axis=0) & side_x == 0)
    return over_x | over_y

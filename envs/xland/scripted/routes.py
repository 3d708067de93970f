"""Shortest ways over a terrain, and how far along one a player can walk straight on."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.scripted.terrain import NEIGHBOURS

#: A straight walk does not lead through cells of a greater toll (metres): something stands there.
_CLEAR_TOLL = 1.0
#: A body's surroundings (metres) in which a player would touch it.
_BERTH = 0.4
#: Cells of a way that are looked over for a straight walk.
_LOOK_AHEAD = 12


@njit
def cell_at(cell, shape, x, y):
    """Row and column of the cell at a point (metres)."""
    row = min(max(int(y / cell[1]), 0), shape[0] - 1)
    column = min(max(int(x / cell[0]), 0), shape[1] - 1)
    return row, column


@njit
def add_tolls(tolls, heights, cell, obstacles):
    """Make cells longer where something stands.

    Args:
        tolls: float64 (R, C), changed.
        heights, cell: Of the terrain.
        obstacles: float64 (n, 6): place (metres), radius, half its height, and the toll (metres).
    """
    rows, columns = tolls.shape
    for number in range(obstacles.shape[0]):
        x, y, z, radius, half, toll = obstacles[number]
        reach = radius + _BERTH
        first_row, first_column = cell_at(cell, (rows, columns), x - reach, y - reach)
        last_row, last_column = cell_at(cell, (rows, columns), x + reach, y + reach)
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                away = math.hypot((column + 0.5) * cell[0] - x, (row + 0.5) * cell[1] - y)
                floor = heights[row, column]
                if away < reach and z + half > floor + 0.1 and z - half < floor + 1.65:
                    tolls[row, column] += toll


@njit
def explore(passable, tolls, cell, row, column, distances, parents):
    """Write how far (metres) all cells are from one, infinite where no way leads, and the neighbour before each.

    Args:
        passable, cell: Of the terrain.
        tolls: float64 (R, C), metres.
        row, column: Where the ways begin.
        distances: float64 (R, C), written.
        parents: int64 (R, C), written: the number of the cell before, -1 without.
    """
    rows, columns = distances.shape
    distances[:] = np.inf
    parents[:] = -1
    distances[row, column] = 0.0
    lengths = np.empty(8)
    for number in range(8):
        lengths[number] = math.hypot(NEIGHBOURS[number, 0] * cell[1], NEIGHBOURS[number, 1] * cell[0])
    # A queue of the cells that have come closer: on a grid it settles sooner than a heap does.
    room = rows * columns + 1
    queue, queued = np.empty(room, np.int64), np.zeros(rows * columns, np.bool_)
    queue[0], first, last = row * columns + column, 0, 1
    while first != last:
        here = queue[first]
        first = first + 1 if first + 1 < room else 0
        queued[here] = False
        row, column = here // columns, here % columns
        distance = distances[row, column]
        for number in range(8):
            if passable[row, column, number]:
                other_row, other_column = row + NEIGHBOURS[number, 0], column + NEIGHBOURS[number, 1]
                longer = distance + lengths[number] + tolls[other_row, other_column]
                if longer < distances[other_row, other_column]:
                    distances[other_row, other_column] = longer
                    parents[other_row, other_column] = here
                    other = other_row * columns + other_column
                    if not queued[other]:
                        queued[other] = True
                        queue[last] = other
                        last = last + 1 if last + 1 < room else 0


@njit
def way_to(parents, row, column):
    """The cells of the way to one, the first at the beginning: int64 (n, 2)."""
    columns = parents.shape[1]
    count, here = 1, row * columns + column
    while parents[here // columns, here % columns] >= 0:
        here = parents[here // columns, here % columns]
        count += 1
    way = np.empty((count, 2), np.int64)
    here = row * columns + column
    for place in range(count - 1, -1, -1):
        way[place, 0], way[place, 1] = here // columns, here % columns
        here = parents[here // columns, here % columns]
    return way


@njit
def next_point(passable, tolls, cell, way, x, y):
    """The furthest point of a way to which a player can walk straight on.

    Args:
        passable, cell: Of the terrain.
        tolls: float64 (R, C), metres.
        way: int64 (n, 2), cells.
        x, y: Where the player is (metres).

    Returns:
        x and y of the point (metres), and the place in the way; -1: the player has left the way.
    """
    row, column = cell_at(cell, tolls.shape, x, y)
    nearest, least = -1, 3
    for place in range(way.shape[0]):
        apart = max(abs(way[place, 0] - row), abs(way[place, 1] - column))
        if apart < least or (apart == least and apart == 0):
            nearest, least = place, apart
    if nearest < 0:
        return x, y, -1
    last = min(nearest + _LOOK_AHEAD, way.shape[0] - 1)
    found = min(nearest + 1, way.shape[0] - 1) if least == 0 else nearest
    for place in range(last, found, -1):
        if is_clear(passable, tolls, cell, x, y, (way[place, 1] + 0.5) * cell[0], (way[place, 0] + 0.5) * cell[1]):
            found = place
            break
    return (way[found, 1] + 0.5) * cell[0], (way[found, 0] + 0.5) * cell[1], found


@njit
def is_clear(passable, tolls, cell, x, y, to_x, to_y):
    """Whether a player can walk straight from one point to another (metres)."""
    row, column = cell_at(cell, tolls.shape, x, y)
    pieces = int(math.hypot((to_x - x) / cell[0], (to_y - y) / cell[1]) * 3) + 1
    for piece in range(1, pieces + 1):
        part = piece / pieces
        next_row, next_column = cell_at(cell, tolls.shape, x + part * (to_x - x), y + part * (to_y - y))
        if next_row == row and next_column == column:
            continue
        passes = False
        for number in range(8):
            if NEIGHBOURS[number, 0] == next_row - row and NEIGHBOURS[number, 1] == next_column - column:
                passes = passable[row, column, number]
        if not passes or tolls[next_row, next_column] > _CLEAR_TOLL:
            return False
        row, column = next_row, next_column
    return True

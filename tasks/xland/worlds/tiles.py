"""Tiles: the pieces that a world's floor is made of, and the surface that they make.

Coordinates: x to the east and y to the north, in tiles; the tile of column ``c`` and row ``r`` covers x from ``c`` to
``c + 1`` and y from ``r`` to ``r + 1``. Heights are in levels. Arrays of tiles are indexed [row, column], from the
south-west.

A tile is its kind and its level. A flat tile lies at its level. A ramp rises from its level to the next one, towards
the side that it is named after. A diagonal is cut from corner to corner: the half at the corner that it is named after
lies a level higher than the other.
"""

from enum import IntEnum

import numpy as np

from procgen_bench.core.compiled import njit

#: Levels of flat tiles are 0 to 5; those of ramps and diagonals, which lead to the next one, 0 to 4.
NUM_LEVELS = 6


class TileKind(IntEnum):
    """Kinds of tiles; ramps by the side that they rise to, diagonals by their higher corner."""

    FLAT = 0
    RAMP_NORTH = 1
    RAMP_EAST = 2
    RAMP_SOUTH = 3
    RAMP_WEST = 4
    DIAGONAL_NORTH_EAST = 5
    DIAGONAL_SOUTH_EAST = 6
    DIAGONAL_SOUTH_WEST = 7
    DIAGONAL_NORTH_WEST = 8


NUM_KINDS = len(TileKind)

#: The sides of a tile, in the order of the ramps: steps (rows, columns) to the neighbour there.
SIDES = ("north", "east", "south", "west")
NORTH, EAST, SOUTH, WEST = range(4)
STEPS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.int64)

#: The side of a neighbour that lies at each side of a tile.
OPPOSITE = np.array([SOUTH, WEST, NORTH, EAST], np.int64)

#: Heights above a tile's level at the two ends of its sides: int64 (kinds, sides, 2), the west or south end first.
SIDE_HEIGHTS = np.array(
    [  # north, east, south, west
        [(0, 0), (0, 0), (0, 0), (0, 0)],  # flat
        [(1, 1), (0, 1), (0, 0), (0, 1)],  # ramp that rises to the north
        [(0, 1), (1, 1), (0, 1), (0, 0)],  # east
        [(0, 0), (1, 0), (1, 1), (1, 0)],  # south
        [(1, 0), (0, 0), (1, 0), (1, 1)],  # west
        [(1, 1), (1, 1), (0, 0), (0, 0)],  # diagonal with its higher half in the north-east
        [(0, 0), (1, 1), (1, 1), (0, 0)],  # south-east
        [(0, 0), (0, 0), (1, 1), (1, 1)],  # south-west
        [(1, 1), (0, 0), (0, 0), (1, 1)],  # north-west
    ],
    np.int64,
)

#: Whether a side is the low or the high end of a ramp: bool (kinds, sides). It must meet a floor of its height.
RAMP_ENDS = np.zeros((NUM_KINDS, 4), bool)
RAMP_ENDS[1:5] = np.array([(True, False, True, False), (False, True, False, True)] * 2)

#: The kind that each kind becomes in a mirror that swaps east and west, and in one that swaps north and south.
MIRRORED_EAST_WEST = np.array([0, 1, 4, 3, 2, 8, 7, 6, 5], np.int8)
MIRRORED_NORTH_SOUTH = np.array([0, 3, 2, 1, 4, 6, 5, 8, 7], np.int8)

# Plain numbers for compiled functions, which cannot look into an IntEnum's members cheaply.
_RAMP_NORTH, _RAMP_EAST, _RAMP_SOUTH, _RAMP_WEST = (int(TileKind(kind)) for kind in range(1, 5))
_NORTH_EAST, _SOUTH_EAST, _SOUTH_WEST, _NORTH_WEST = (int(TileKind(kind)) for kind in range(5, 9))


@njit
def surface(kind, level, u, v):
    """Height (levels) of a tile's floor at ``u`` (0 west to 1 east) and ``v`` (0 south to 1 north).

    On a diagonal's cut the higher half counts.
    """
    if kind == _RAMP_NORTH:
        return level + v
    if kind == _RAMP_EAST:
        return level + u
    if kind == _RAMP_SOUTH:
        return level + 1.0 - v
    if kind == _RAMP_WEST:
        return level + 1.0 - u
    if kind == _NORTH_EAST:
        return level + 1.0 if u + v >= 1.0 else level + 0.0
    if kind == _SOUTH_EAST:
        return level + 1.0 if u >= v else level + 0.0
    if kind == _SOUTH_WEST:
        return level + 1.0 if u + v <= 1.0 else level + 0.0
    if kind == _NORTH_WEST:
        return level + 1.0 if u <= v else level + 0.0
    return level + 0.0


@njit
def floor_height(kinds, levels, x, y):
    """Height (levels) of the floor at ``x`` and ``y`` (tiles), which must lie in the world; on a tile's border that of
    the tile to the east or north."""
    row, column = min(int(y), kinds.shape[0] - 1), min(int(x), kinds.shape[1] - 1)
    return surface(kinds[row, column], levels[row, column], x - column, y - row)


@njit
def is_diagonal(kind):
    """Whether a tile of this kind is a diagonal."""
    return kind >= _NORTH_EAST


@njit
def beside_cut(kind, u, v, du, dv):
    """On which side of a diagonal's cut the point (u, v) of its tile lies, below 0 where the diagonal is high, and how
    fast that changes along (du, dv)."""
    if kind == _NORTH_EAST:
        return 1.0 - u - v, -du - dv
    if kind == _SOUTH_EAST:
        return v - u, dv - du
    if kind == _SOUTH_WEST:
        return u + v - 1.0, du + dv
    return u - v, du - dv


@njit
def is_wall(kinds, levels, row, column, side):
    """Whether a wall stands at a side of a tile: the world's border, or a floor that is higher somewhere along it."""
    other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
    if not (0 <= other_row < kinds.shape[0] and 0 <= other_column < kinds.shape[1]):
        return True
    step = np.int64(levels[other_row, other_column]) - np.int64(levels[row, column])
    kind, other_kind = kinds[row, column], kinds[other_row, other_column]
    higher_first = step + SIDE_HEIGHTS[other_kind, OPPOSITE[side], 0] > SIDE_HEIGHTS[kind, side, 0]
    higher_second = step + SIDE_HEIGHTS[other_kind, OPPOSITE[side], 1] > SIDE_HEIGHTS[kind, side, 1]
    return higher_first or higher_second

"""The topology graph of a world, finer: nine cells to a tile, and where a player can walk from one to the next.

A player walks over a side of a tile where the floor behind it is as high at that place, or lower: then it drops. So it
comes up ramps and not up ledges, as in :mod:`procgen_bench.tasks.xland.worlds.topology`, and goes round what stands in
the way within a tile.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.worlds.tiles import TileKind, is_diagonal, surface
from procgen_bench.tasks.xland.worlds.world import World

#: Cells along a side of a tile.
CELLS_PER_TILE = 3
#: Steps (rows, columns) to a cell's neighbours: to the north, east, south, west, then between these.
NEIGHBOURS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)], np.int64)
#: Metres by which a floor may be higher and still count as of the same height.
_EVEN = 0.02
#: Metres that a cell next to a wall or a ledge counts longer: a player that keeps away neither scrapes nor falls.
_EDGE_TOLL = 0.3
#: Distance from the middle of a cell (tiles) in which a cut goes through it.
_CUT = 0.02

_FLAT = int(TileKind.FLAT)


class Terrain(NamedTuple):
    """R x C cells.

    Attributes:
        heights: float64 (R, C), of the floor in the middle, metres.
        colours: int8 (R, C), the floors' colours.
        level: bool (R, C), whether the floor is even.
        passable: bool (R, C, 8), whether a player can walk to each of ``NEIGHBOURS``.
        tolls: float64 (R, C), metres that a cell counts longer than it is.
        cell: float64 (2,), width and depth of a cell, metres.
    """

    heights: np.ndarray
    colours: np.ndarray
    level: np.ndarray
    passable: np.ndarray
    tolls: np.ndarray
    cell: np.ndarray


def terrain_of(world: World) -> Terrain:
    """The terrain of a valid world."""
    kinds, levels = world.kinds.copy(), world.levels.copy()  # read-only arrays would be compiled for once more
    heights, passable = _lay(kinds, levels, float(world.tile_size[2]))
    fine = np.ones((CELLS_PER_TILE, CELLS_PER_TILE), np.int8)
    edges = ~passable[:, :, :4].all(axis=-1) | _has_ledge(heights)
    return Terrain(
        heights,
        np.kron(world.floors, fine),
        np.kron(world.kinds, fine) == _FLAT,
        passable,
        np.where(edges, _EDGE_TOLL, 0.0),
        world.tile_size[:2] / CELLS_PER_TILE,
    )


def _has_ledge(heights: np.ndarray) -> np.ndarray:
    """Whether the floor next to a cell lies lower by more than the steepest ramp could make it."""
    ledge = np.zeros(heights.shape, bool)
    for axis in (0, 1):
        for step in (1, -1):
            drop = heights - np.roll(heights, step, axis)
            ledge |= (drop > 0.9) & (np.roll(heights, step, axis) >= 0)
    return ledge


@njit
def _lay(kinds, levels, level_height):
    """Heights of the cells, and where players can walk."""
    rows, columns = kinds.shape[0] * CELLS_PER_TILE, kinds.shape[1] * CELLS_PER_TILE
    heights, passable = np.zeros((rows, columns)), np.zeros((rows, columns, 8), np.bool_)
    for row in range(rows):
        for column in range(columns):
            heights[row, column] = level_height * _height(kinds, levels, row, column, 0, 0)
    for row in range(rows):
        for column in range(columns):
            for side in range(4):
                passable[row, column, side] = _passes(kinds, levels, level_height, row, column, side)
    for row in range(rows):
        for column in range(columns):
            for number in range(4, 8):
                up, right = NEIGHBOURS[number]
                along, across = (0 if up > 0 else 2), (1 if right > 0 else 3)
                if passable[row, column, along] and passable[row, column, across]:
                    passable[row, column, number] = (
                        passable[row + up, column, across] and passable[row, column + right, along]
                    )
    return heights, passable


@njit
def _height(kinds, levels, row, column, up, right):
    """Height (levels) in the middle of a cell, or where it ends towards ``up`` or ``right`` (-1, 0 or 1).

    A cell in the middle of which a diagonal is cut is as high as its higher half.
    """
    tile_row, tile_column = row // CELLS_PER_TILE, column // CELLS_PER_TILE
    kind, level = kinds[tile_row, tile_column], levels[tile_row, tile_column]
    u = (column % CELLS_PER_TILE + 0.5 + 0.5 * right) / CELLS_PER_TILE
    v = (row % CELLS_PER_TILE + 0.5 + 0.5 * up) / CELLS_PER_TILE
    if not is_diagonal(kind) or up != 0 or right != 0:
        return surface(kind, level, u, v)
    height = surface(kind, level, u, v)
    for east in (-_CUT, _CUT):
        for north in (-_CUT, _CUT):
            height = max(height, surface(kind, level, u + east, v + north))
    return height


@njit
def _passes(kinds, levels, level_height, row, column, side):
    """Whether a player can walk to the neighbour at a side: to its border, and on to its middle."""
    up, right = NEIGHBOURS[side]
    other_row, other_column = row + up, column + right
    if not (0 <= other_row < kinds.shape[0] * CELLS_PER_TILE and 0 <= other_column < kinds.shape[1] * CELLS_PER_TILE):
        return False
    other_kind = kinds[other_row // CELLS_PER_TILE, other_column // CELLS_PER_TILE]
    same = row // CELLS_PER_TILE == other_row // CELLS_PER_TILE
    same = same and column // CELLS_PER_TILE == other_column // CELLS_PER_TILE
    if same and not is_diagonal(other_kind):
        return True
    if same:
        here, there = _height(kinds, levels, row, column, 0, 0), _height(kinds, levels, other_row, other_column, 0, 0)
    else:
        here = _height(kinds, levels, row, column, up, right)
        there = _height(kinds, levels, other_row, other_column, -up, -right)
        if is_diagonal(other_kind):
            there = max(there, _height(kinds, levels, other_row, other_column, 0, 0))
    return (there - here) * level_height <= _EVEN

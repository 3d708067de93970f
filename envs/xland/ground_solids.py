"""The ground of a world as convex solids: boxes under floors, prisms for ramps and the upper halves of diagonals."""

from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: Corners of a tile, anticlockwise from the south-west.
_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
#: Corners on which the upper part of a tile stands, and those of them that reach the next level.
_FEET_AND_TOPS = {
    TileKind.RAMP_NORTH: ((0, 1, 2, 3), (2, 3)),
    TileKind.RAMP_EAST: ((0, 1, 2, 3), (1, 2)),
    TileKind.RAMP_SOUTH: ((0, 1, 2, 3), (0, 1)),
    TileKind.RAMP_WEST: ((0, 1, 2, 3), (0, 3)),
    TileKind.DIAGONAL_NORTH_EAST: ((1, 2, 3), (1, 2, 3)),
    TileKind.DIAGONAL_SOUTH_EAST: ((0, 1, 2), (0, 1, 2)),
    TileKind.DIAGONAL_SOUTH_WEST: ((0, 1, 3), (0, 1, 3)),
    TileKind.DIAGONAL_NORTH_WEST: ((0, 2, 3), (0, 2, 3)),
}


class Block(NamedTuple):
    """A rectangle of tiles whose ground is solid up to one level."""

    row: int
    column: int
    rows: int
    columns: int
    level: int


def blocks(world: World) -> list[Block]:
    """Blocks that together fill the ground of all tiles up to their levels, but for level 0: below it all is solid.

    Each grows from its south-western tile to the east, then to the north.
    """
    levels = world.levels.copy()
    found = []
    for row, column in np.ndindex(levels.shape):
        level = int(levels[row, column])
        if level <= 0:
            continue
        columns = rows = 1
        while column + columns < levels.shape[1] and levels[row, column + columns] == level:
            columns += 1
        while row + rows < levels.shape[0] and (levels[row + rows, column : column + columns] == level).all():
            rows += 1
        levels[row : row + rows, column : column + columns] = 0
        found.append(Block(row, column, rows, columns, level))
    return found


def prism_corners(kind: TileKind, tile_size: np.ndarray) -> np.ndarray:
    """Corners in metres (float64 (6, 3)) of what a ramp or a diagonal has above its level.

    From the south-western corner of its tile at its level.
    """
    feet, tops = _FEET_AND_TOPS[kind]
    corners = [(*_CORNERS[corner], 0.0) for corner in feet] + [(*_CORNERS[corner], 1.0) for corner in tops]
    return np.array(corners) * tile_size

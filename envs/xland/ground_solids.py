"""The ground of a world as convex solids: boxes under floors and ramps, prisms for the upper halves of diagonals."""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: The three corners of a tile, from its south-western one, on which the upper half of a diagonal stands.
_UPPER_HALVES = {
    TileKind.DIAGONAL_NORTH_EAST: ((1, 0), (1, 1), (0, 1)),
    TileKind.DIAGONAL_SOUTH_EAST: ((0, 0), (1, 0), (1, 1)),
    TileKind.DIAGONAL_SOUTH_WEST: ((0, 0), (1, 0), (0, 1)),
    TileKind.DIAGONAL_NORTH_WEST: ((0, 0), (1, 1), (0, 1)),
}
#: Length of a ramp's box below the foot of the ramp (metres).
FOOT = 0.5
#: Towards where ramps rise.
_UPHILL = {
    TileKind.RAMP_NORTH: (0.0, 1.0),
    TileKind.RAMP_EAST: (1.0, 0.0),
    TileKind.RAMP_SOUTH: (0.0, -1.0),
    TileKind.RAMP_WEST: (-1.0, 0.0),
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

    Each grows from its south-western tile to the east, then to the north, also through ground that is higher: there are
    fewer of them, and fewer edges for bodies to catch on.
    """
    levels, filled, found = world.levels, world.levels <= 0, []
    for row, column in np.ndindex(levels.shape):
        if filled[row, column]:
            continue
        level, columns, rows = int(levels[row, column]), 1, 1
        while column + columns < levels.shape[1] and levels[row, column + columns] >= level:
            columns += 1
        while row + rows < levels.shape[0] and (levels[row + rows, column : column + columns] >= level).all():
            rows += 1
        part = slice(row, row + rows), slice(column, column + columns)
        filled[part] |= levels[part] == level
        found.append(Block(row, column, rows, columns, level))
    return found


class Ramp(NamedTuple):
    """Equal ramps side by side.

    Attributes:
        kind: Their kind.
        row, column: The first one's tile, the south-western one.
        length: Their number, at least 1.
        level: The level of their feet, from 0.
    """

    kind: TileKind
    row: int
    column: int
    length: int
    level: int


def ramps(world: World) -> list[Ramp]:
    """All ramps of a world, in rows of equal ones next to each other."""
    found, seen = [], np.zeros(world.shape, np.bool_)
    for row, column in np.ndindex(world.shape):
        kind, level = TileKind(int(world.kinds[row, column])), int(world.levels[row, column])
        if kind not in _UPHILL or seen[row, column]:
            continue
        # To the east where they rise to the north or south, else to the north.
        side = np.s_[row, column:] if _UPHILL[kind][1] else np.s_[row:, column]
        others = (world.kinds[side] != kind) | (world.levels[side] != level)
        count = int(others.argmax()) if others.any() else len(others)
        seen[side][:count] = True
        found.append(Ramp(kind, row, column, count, level))
    return found


class Box(NamedTuple):
    """A box: its centre and half its edges in metres (float64 (3,)), and its rotation (w, x, y, z)."""

    centre: np.ndarray
    half: np.ndarray
    rotation: tuple[float, float, float, float]


def ramp_box(ramp: Ramp, tile_size: np.ndarray) -> Box:
    """The box whose upper face is a ramp's, of tiles of ``tile_size``, float64 (3,), metres.

    It is as thick as it takes to fill the ramp, and begins before its foot: what is pushed into the ramp there must not
    be closest to the box's end. What else there is of it lies in the ground: below the ramp, and below the floors that
    it joins.
    """
    uphill = np.array([*_UPHILL[ramp.kind], 0.0])
    run, width = (tile_size[0], tile_size[1]) if uphill[0] else (tile_size[1], tile_size[0])
    width = width * ramp.length
    rise = tile_size[2]
    length = math.hypot(run, rise)
    cos, sin = run / length, rise / length
    thickness = run * sin
    normal = np.array([0.0, 0.0, cos]) - sin * uphill
    upwards = cos * uphill + np.array([0.0, 0.0, sin])
    corner = tile_size * (ramp.column, ramp.row, ramp.level)
    middle = tile_size * (np.array([1.0, 1.0, 1.0]) + (ramp.length - 1) * np.abs([uphill[1], uphill[0], 0.0])) / 2
    centre = corner + middle - normal * thickness / 2 - upwards * FOOT / 2
    # The box's x rises with the ramp: a turn about the vertical, then a tilt.
    yaw, tilt = math.atan2(uphill[1], uphill[0]) / 2, -math.atan2(rise, run) / 2
    rotation = (
        math.cos(yaw) * math.cos(tilt),
        -math.sin(yaw) * math.sin(tilt),
        math.cos(yaw) * math.sin(tilt),
        math.sin(yaw) * math.cos(tilt),
    )
    return Box(centre, np.array([length + FOOT, width, thickness]) / 2, rotation)


def prism_corners(kind: TileKind, tile_size: np.ndarray) -> np.ndarray:
    """Corners in metres (float64 (6, 3)) of the upper half of a diagonal, from the south-western corner, at its level,
    of the tile, of ``tile_size`` (float64 (3,), metres)."""
    corners = [(*corner, height) for height in (0, 1) for corner in _UPPER_HALVES[kind]]
    return np.array(corners) * tile_size

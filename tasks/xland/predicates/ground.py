"""Whether the ground stands between two points: the solid below the surface that the tiles make.

A segment is obstructed where it passes below the surface; to touch it is not enough. The enclosing walls never stand
between two points of the world, so beyond the tiles there is nothing.
"""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.predicates.intervals import times_below, times_inside
from procgen_bench.tasks.xland.worlds.tiles import TileKind, beside_cut, is_diagonal, surface
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE

_FLAT = int(TileKind.FLAT)

#: Shorter parts of a segment are rounding: it passes a corner of the tile, not the tile. So are smaller depths (levels)
#: below the surface: what stands on the ground has its lowest point there.
_ROUNDING = 1e-12


#: The ground of one world, as one record: arrays would cost the counting of references at every segment. Fields:
#:
#: - kinds, levels: the tiles,
#: - rows, columns: how many of them count,
#: - top: the highest point, in levels,
#: - per_metre: how many tiles to the east, tiles to the north and levels upwards make a metre.
GROUND = np.dtype(
    [
        ("rows", np.int64),
        ("columns", np.int64),
        ("top", np.int64),
        ("per_metre", np.float64, 3),
        ("kinds", np.int8, (GREATEST_SIDE, GREATEST_SIDE)),
        ("levels", np.int8, (GREATEST_SIDE, GREATEST_SIDE)),
    ],
    align=True,
)


@njit
def place_ground(ground, scenes, scene):
    """Fill ``ground``, GROUND, with that of a world."""
    ground.rows, ground.columns = scenes.extents[scene, 0], scenes.extents[scene, 1]
    ground.top = scenes.tops[scene]
    for axis in range(3):
        ground.per_metre[axis] = 1.0 / scenes.tile_size[scene, axis]
    for row in range(ground.rows):
        for column in range(ground.columns):
            ground.kinds[row, column] = scenes.kinds[scene, row, column]
            ground.levels[row, column] = scenes.levels[scene, row, column]


@njit
def ground_obstructs(ground, ax, ay, az, bx, by, bz):
    """Whether the segment from a to b (metres) passes through the ground: below the surface of a tile.

    Walks from tile to tile. On a border between two, a segment that runs along it belongs to the tile in the east or
    north.
    """
    east, north, up = ground.per_metre[0], ground.per_metre[1], ground.per_metre[2]
    x, y, z = ax * east, ay * north, az * up
    dx, dy, dz = bx * east - x, by * north - y, bz * up - z
    z += _ROUNDING
    rows, columns, top = ground.rows, ground.columns, ground.top
    if min(z, z + dz) >= top:
        return False
    # Only the part over the tiles and below their highest point can be obstructed.
    begin, end = times_below(0.0, 1.0, z - top, dz) if max(z, z + dz) >= top else (0.0, 1.0)
    if min(x, x + dx) < 0.0 or max(x, x + dx) >= columns or min(y, y + dy) < 0.0 or max(y, y + dy) >= rows:
        begin, end = times_inside(begin, end, columns, x, dx)
        begin, end = times_inside(begin, end, rows, y, dy)
    if begin >= end:
        return False
    column, row = _first_tile(columns, x + begin * dx, dx), _first_tile(rows, y + begin * dy, dy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    # Times of a tile's width and depth, and of leaving the first tile on either axis.
    per_x, per_y = (1.0 / dx if dx != 0.0 else math.inf), (1.0 / dy if dy != 0.0 else math.inf)
    leave_x = (column + (dx > 0.0) - x) * per_x if dx != 0.0 else math.inf
    leave_y = (row + (dy > 0.0) - y) * per_y if dy != 0.0 else math.inf
    per_x, per_y = abs(per_x), abs(per_y)
    while True:
        leave = min(leave_x, leave_y, end)
        level, kind = ground.levels[row, column], ground.kinds[row, column]
        lowest = z + (begin if dz > 0.0 else leave) * dz
        if lowest < level + (kind != _FLAT) and leave - begin > _ROUNDING:
            if lowest < level or kind == _FLAT:
                return True
            if _upper_part_obstructs(kind, level, x - column, y - row, z, dx, dy, dz, begin, leave):
                return True
        if not leave < end:  # so written, a place that is not a number ends the walk, too
            return False
        begin = leave
        if leave_x <= leave:
            column, leave_x = column + step_x, leave_x + per_x
        if leave_y <= leave:
            row, leave_y = row + step_y, leave_y + per_y
        if column < 0 or column >= columns or row < 0 or row >= rows:
            return False  # left by rounding, at the end


@njit
def _first_tile(extent, value, change):
    """The row or column that a segment enters from ``value``; on a border that which it moves into."""
    tile = math.floor(value)
    tile -= (change < 0.0) & (tile == value)  # no branch: either way is as likely
    return min(max(tile, 0), extent - 1)


@njit
def _upper_part_obstructs(kind, level, x, y, z, dx, dy, dz, begin, end):
    """Whether a segment above a ramp's or diagonal's level passes below its surface between two times.

    Args:
        kind, level: The tile.
        x, y, z, dx, dy, dz: The segment in tiles and levels, from the tile's south-western corner.
        begin, end: Times at which it is over the tile.
    """
    if not is_diagonal(kind):  # over a ramp both heights change evenly: the ends decide
        before = z + begin * dz < surface(kind, level, x + begin * dx, y + begin * dy)
        return before or z + end * dz < surface(kind, level, x + end * dx, y + end * dy)
    side, change = beside_cut(kind, x, y, dx, dy)
    begin, end = times_below(begin, end, side, change)
    begin, end = times_below(begin, end, z - (level + 1.0), dz)
    return begin < end

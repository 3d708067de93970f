"""Whether something stands between two points: a body, or the ground.

A segment is obstructed where it passes through the inside of something; to touch a surface is not enough. The enclosing
walls never stand between two points of the world, so beyond the tiles there is nothing.
"""

import math

from numba import njit

from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, CAPSULE, SLAB_EDGES
from procgen_bench.tasks.xland.predicates.geometry import local_direction
from procgen_bench.tasks.xland.worlds.tiles import TileKind, surface

_FLAT = int(TileKind.FLAT)
_NORTH_EAST, _SOUTH_EAST, _SOUTH_WEST, _NORTH_WEST = (int(TileKind(kind)) for kind in range(5, 9))


@njit(cache=True)
def bodies_obstruct(bodies, first, second, ax, ay, az, bx, by, bz):
    """Whether a body, other than the two that are numbered, obstructs the segment from a to b (metres)."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    squared_length = dx * dx + dy * dy + dz * dz
    per_squared_length = 1.0 / squared_length if squared_length > 0.0 else 0.0
    for k in range(bodies.reaches.shape[0]):
        x, y, z = bodies.centres[k, 0] - ax, bodies.centres[k, 1] - ay, bodies.centres[k, 2] - az
        time = min(max((x * dx + y * dy + z * dz) * per_squared_length, 0.0), 1.0)
        off_x, off_y, off_z = x - time * dx, y - time * dy, z - time * dz
        squared_distance, reach = off_x * off_x + off_y * off_y + off_z * off_z, bodies.reaches[k]
        if squared_distance >= reach * reach or reach < 0.0 or k == first or k == second:
            continue
        if _passes_through(bodies, k, squared_distance, -x, -y, -z, dx, dy, dz):
            return True
    return False


@njit(cache=True)
def _passes_through(bodies, k, squared_distance, x, y, z, dx, dy, dz):
    """Whether the segment that begins at (x, y, z) from body ``k``'s centre passes through its inside."""
    shape, size = bodies.shapes[k], bodies.sizes[k]
    if shape == SPHERE:
        return 4.0 * squared_distance < size * size
    if shape == CAPSULE:
        return _passes_through_capsule(x, y, z, dx, dy, dz)
    x, y, z = local_direction(bodies, k, x, y, z)
    dx, dy, dz = local_direction(bodies, k, dx, dy, dz)
    if shape == PYRAMID:
        return _passes_through_pyramid(size, x, y, z, dx, dy, dz)
    begin, end = 0.0, 1.0
    half_x = half_y = half_z = size / 2
    if shape == SLAB:
        half_x, half_y, half_z = size * SLAB_EDGES[0] / 2, size * SLAB_EDGES[1] / 2, size * SLAB_EDGES[2] / 2
    begin, end = _times_between(begin, end, half_x, x, dx)
    begin, end = _times_between(begin, end, half_y, y, dy)
    begin, end = _times_between(begin, end, half_z, z, dz)
    return begin < end


@njit(cache=True)
def _passes_through_pyramid(size, x, y, z, dx, dy, dz):
    begin, end = _times_below(0.0, 1.0, -z - size * BASE_DEPTH, -dz)
    top = size * (1.0 - BASE_DEPTH)  # a side face satisfies 2 x + z = top
    begin, end = _times_below(begin, end, z + 2 * x - top, dz + 2 * dx)
    begin, end = _times_below(begin, end, z - 2 * x - top, dz - 2 * dx)
    begin, end = _times_below(begin, end, z + 2 * y - top, dz + 2 * dy)
    begin, end = _times_below(begin, end, z - 2 * y - top, dz - 2 * dy)
    return begin < end


@njit(cache=True)
def _passes_through_capsule(x, y, z, dx, dy, dz):
    """A player is two balls and the cylinder between their centres."""
    if _passes_through_ball(x, y, z - AXIS_HALF, dx, dy, dz) or _passes_through_ball(x, y, z + AXIS_HALF, dx, dy, dz):
        return True
    begin, end = _times_between(0.0, 1.0, AXIS_HALF, z, dz)
    if begin >= end:
        return False
    squared_length = dx * dx + dy * dy
    time = -(x * dx + y * dy) / squared_length if squared_length > 0.0 else 0.0
    time = min(max(time, begin), end)
    return math.hypot(x + time * dx, y + time * dy) < PLAYER_RADIUS


@njit(cache=True)
def _passes_through_ball(x, y, z, dx, dy, dz):
    """Whether the segment comes closer than a player's radius to the origin."""
    squared_length = dx * dx + dy * dy + dz * dz
    time = -(x * dx + y * dy + z * dz) / squared_length if squared_length > 0.0 else 0.0
    time = min(max(time, 0.0), 1.0)
    x, y, z = x + time * dx, y + time * dy, z + time * dz
    return x * x + y * y + z * z < PLAYER_RADIUS * PLAYER_RADIUS


@njit(cache=True)
def _times_below(begin, end, value, change):
    """The part of the times from begin to end at which ``value + time * change`` is below 0; empty: begin >= end."""
    if change > 0.0:
        return begin, min(end, -value / change)
    if change < 0.0:
        return max(begin, -value / change), end
    return (begin, end) if value < 0.0 else (end, end)


@njit(cache=True)
def _times_between(begin, end, half, value, change):
    """The part of the times at which ``value + time * change`` lies between -half and half."""
    begin, end = _times_below(begin, end, value - half, change)
    return _times_below(begin, end, -value - half, -change)


@njit(cache=True)
def ground_obstructs(scenes, scene, ax, ay, az, bx, by, bz):
    """Whether the segment from a to b (metres) passes through the ground: below the surface of a tile.

    Walks from tile to tile. On a border between two, a segment that runs along it belongs to the tile in the east or
    north.
    """
    width, depth, height = scenes.tile_size[scene, 0], scenes.tile_size[scene, 1], scenes.tile_size[scene, 2]
    x, y, z = ax / width, ay / depth, az / height
    dx, dy, dz = bx / width - x, by / depth - y, bz / height - z
    rows, columns, top = scenes.extents[scene, 0], scenes.extents[scene, 1], scenes.tops[scene]
    if min(z, z + dz) >= top:
        return False
    # Only the part over the tiles and below their highest point can be obstructed.
    begin, end = _times_below(0.0, 1.0, z - top, dz)
    begin, end = _times_inside(begin, end, columns, x, dx)
    begin, end = _times_inside(begin, end, rows, y, dy)
    if begin >= end:
        return False
    column, row = _first_tile(columns, x + begin * dx, dx), _first_tile(rows, y + begin * dy, dy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    per_x, per_y = abs(1.0 / dx) if dx != 0.0 else math.inf, abs(1.0 / dy) if dy != 0.0 else math.inf
    leave_x = ((column + (dx > 0.0)) - x) / dx if dx != 0.0 else math.inf
    leave_y = ((row + (dy > 0.0)) - y) / dy if dy != 0.0 else math.inf
    while True:
        leave = min(leave_x, leave_y, end)
        level, kind = scenes.levels[scene, row, column], scenes.kinds[scene, row, column]
        lowest = z + (begin if dz > 0.0 else leave) * dz
        if lowest < level + (kind != _FLAT) and begin < leave:
            if lowest < level or kind == _FLAT:
                return True
            if _upper_part_obstructs(kind, level, x - column, y - row, z, dx, dy, dz, begin, leave):
                return True
        if leave >= end:
            return False
        begin = leave
        if leave_x <= leave:
            column, leave_x = column + step_x, leave_x + per_x
        if leave_y <= leave:
            row, leave_y = row + step_y, leave_y + per_y
        if column < 0 or column >= columns or row < 0 or row >= rows:
            return False  # left by rounding, at the end


@njit(cache=True)
def _times_inside(begin, end, extent, value, change):
    """The part of the times at which ``value + time * change`` lies in [0, extent)."""
    if change == 0.0:
        return (begin, end) if 0.0 <= value < extent else (end, end)
    begin, end = _times_below(begin, end, value - extent, change)
    return _times_below(begin, end, -value, -change)


@njit(cache=True)
def _first_tile(extent, value, change):
    """The row or column that a segment enters from ``value``; on a border that which it moves into."""
    tile = math.ceil(value) - 1 if change < 0.0 else math.floor(value)
    return min(max(int(tile), 0), extent - 1)


@njit(cache=True)
def _upper_part_obstructs(kind, level, x, y, z, dx, dy, dz, begin, end):
    """Whether a segment above a ramp's or diagonal's level passes below its surface between two times.

    Args:
        kind, level: The tile.
        x, y, z, dx, dy, dz: The segment in tiles and levels, from the tile's south-western corner.
        begin, end: Times at which it is over the tile.
    """
    if kind < _NORTH_EAST:  # over a ramp both heights change evenly: the ends decide
        before = z + begin * dz < surface(kind, level, x + begin * dx, y + begin * dy)
        return before or z + end * dz < surface(kind, level, x + end * dx, y + end * dy)
    # Below 0 where the diagonal is high.
    if kind == _NORTH_EAST:
        side, change = 1.0 - x - y, -dx - dy
    elif kind == _SOUTH_EAST:
        side, change = y - x, dy - dx
    elif kind == _SOUTH_WEST:
        side, change = x + y - 1.0, dx + dy
    else:
        side, change = x - y, dx - dy
    begin, end = _times_below(begin, end, side, change)
    begin, end = _times_below(begin, end, z - (level + 1.0), dz)
    return begin < end

"""Where a ray meets the ground, for tests: it is followed from tile to tile, as the predicates follow segments.

Pictures are found face by face; that their pixels show what the rays through them meet is held against this. The ground
is the solid below the surface that the tiles make; walls stand around it and are seen from inside alone.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.rays.faces import PLINTH, SIDE_TO_EAST, SIDE_TO_SOUTH, SKY, UPWARDS, WALL, WALL_HEIGHT
from procgen_bench.tasks.xland.worlds.tiles import TileKind, beside_cut, is_diagonal
from procgen_bench.tasks.xland.worlds.world import World

_FLAT = int(TileKind.FLAT)
_RAMP_NORTH, _RAMP_EAST, _RAMP_SOUTH, _RAMP_WEST = (int(TileKind(kind)) for kind in range(1, 5))

#: Rays that run along an axis are turned by this little, so that they cross tiles' borders on the other.
_TURN = 1e-12
#: Heights (metres) that differ by less are equal: a ray enters a tile at its surface, not below it.
_ROUNDING = 1e-9


class Tiles(NamedTuple):
    """A world's tiles with a ring of nothing around them: N = (H + 2) * (W + 2), rows one after the other.

    Attributes:
        kinds: int64 (N,), ``TileKind``.
        tops: float64 (N,), metres: the highest point of every tile, minus infinity where there is none.
        stride: W + 2.
        size: A tile's width and depth and a level's height, metres.
        extent: The world's width and depth, and the height of its highest floor, metres.
    """

    kinds: np.ndarray
    tops: np.ndarray
    stride: int
    size: tuple[float, float, float]
    extent: tuple[float, float, float]


def tiles_of(world: World) -> Tiles:
    """The tiles of a world."""
    height, width = world.shape
    kinds, tops = np.zeros((height + 2, width + 2), np.int64), np.full((height + 2, width + 2), -np.inf)
    kinds[1:-1, 1:-1] = world.kinds
    tops[1:-1, 1:-1] = (world.levels + (world.kinds != TileKind.FLAT)) * world.tile_size[2]
    size = tuple(world.tile_size.tolist())
    return Tiles(kinds.ravel(), tops.ravel(), width + 2, size, (width * size[0], height * size[1], float(tops.max())))


def ray_of(tiles: Tiles, eye: np.ndarray, ray: np.ndarray) -> tuple[float, int, int]:
    """The first point of ground or wall on a ray from an eye on (float64 (3,), metres); see :func:`cast_ray`."""
    return _ray_of(*tiles, eye, ray)


@njit(error_model="numpy")
def _ray_of(kinds, tops, stride, size, extent, eye, ray):
    return cast_ray(kinds, tops, stride, size, extent, eye[0], eye[1], eye[2], ray[0], ray[1], ray[2])


@njit(inline="always")
def cast_ray(kinds, tops, stride, size, extent, x, y, z, dx, dy, dz):
    """The first point of ground or wall on the ray from (x, y, z) on.

    Args:
        kinds, tops, stride, size, extent: See :class:`Tiles`.
        x, y, z: Where the ray begins, metres.
        dx, dy, dz: Its direction, of any length.

    Returns:
        Its time, in lengths of the direction (infinite for the sky), which way the surface faces, and its tile.
    """
    if abs(dx) < _TURN:
        dx = _TURN
    if abs(dy) < _TURN:
        dy = _TURN
    per_x, per_y = 1.0 / dx, 1.0 / dy
    width, depth, highest = extent
    # The part of the ray over the tiles and, of that, the part not above all of them.
    west, east, south, north = -x * per_x, (width - x) * per_x, -y * per_y, (depth - y) * per_y
    enter_x, enter_y, exit_x, exit_y = min(west, east), min(south, north), max(west, east), max(south, north)
    begin, exit = max(0.0, enter_x, enter_y), min(exit_x, exit_y)
    if begin >= exit:
        return math.inf, SKY, 0
    across_x = enter_x > enter_y
    if z + begin * dz < -PLINTH:
        return math.inf, SKY, 0  # from outside and below
    end = exit
    if dz < 0.0:
        begin = max(begin, (highest - z) / dz)
    elif dz > 0.0:
        end = min(end, (highest - z) / dz)
    elif z >= highest:
        end = 0.0
    if begin < end:
        column = min(max(math.floor((x + begin * dx) / size[0]), 0), stride - 3)
        row = min(max(math.floor((y + begin * dy) / size[1]), 0), kinds.shape[0] // stride - 3)
        leave_x, leave_y = ((column + (dx > 0.0)) * size[0] - x) * per_x, ((row + (dy > 0.0)) * size[1] - y) * per_y
        per_x, per_y = abs(per_x) * size[0], abs(per_y) * size[1]
        step_x, step_y = (1 if dx > 0.0 else -1), (stride if dy > 0.0 else -stride)
        tile = (row + 1) * stride + column + 1
        while True:
            leave = min(leave_x, leave_y, end)
            if z + (leave if dz < 0.0 else begin) * dz < tops[tile]:
                time, facing = _meet_tile(
                    kinds[tile], tops[tile], tile, stride, size, across_x, x, y, z, dx, dy, dz, begin, leave
                )
                if facing != SKY:
                    return time, facing, tile
            if not leave < end:  # so written, a place that is not a number ends the walk, too
                break
            begin = leave
            across_x = leave_x <= leave_y
            if across_x:
                tile += step_x
                leave_x += per_x
            else:
                tile += step_y
                leave_y += per_y
    height = z + exit * dz
    if 0.0 <= height < highest + WALL_HEIGHT:
        return exit, WALL + _side(exit_x < exit_y, dx, dy), 0
    return math.inf, SKY, 0


@njit(forceinline=True, error_model="numpy")
def _side(across_x, dx, dy):
    """The side that a ray meets which crosses a border to the east or west (else to the north or south)."""
    return SIDE_TO_EAST - (dx > 0.0) if across_x else SIDE_TO_SOUTH + (dy < 0.0)


@njit(error_model="numpy")
def _meet_tile(kind, top, tile, stride, size, across_x, x, y, z, dx, dy, dz, begin, end):
    """When a ray that is over a tile from ``begin`` to ``end`` meets it, and which way what it meets faces (or SKY)."""
    side = _side(across_x, dx, dy)
    if kind == _FLAT:
        return _meet_flat(top, side, z, dz, begin, end)
    # From here on in tiles and from the tile's south-western corner.
    u, du = x / size[0] - (tile % stride - 1), dx / size[0]
    v, dv = y / size[1] - (tile // stride - 1), dy / size[1]
    bottom = top - size[2]
    if not is_diagonal(kind):
        if kind == _RAMP_NORTH:
            share, change = v, dv
        elif kind == _RAMP_EAST:
            share, change = u, du
        elif kind == _RAMP_SOUTH:
            share, change = 1.0 - v, -dv
        else:
            share, change = 1.0 - u, -du
        above, sinking = z - bottom - share * size[2], dz - change * size[2]
        if above + begin * sinking < -_ROUNDING:
            return begin, side
        if above + end * sinking < 0.0:
            return max(begin, -above / sinking), kind
        return math.inf, SKY
    beyond, change = beside_cut(kind, u, v, du, dv)
    cut = -beyond / change if change != 0.0 else math.inf
    if not begin < cut < end:
        high = beyond + (begin + end) / 2 * change < 0.0
        return _meet_flat(top if high else bottom, side, z, dz, begin, end)
    high_first = change > 0.0
    time, facing = _meet_flat(top if high_first else bottom, side, z, dz, begin, cut)
    if facing != SKY:
        return time, facing
    return _meet_flat(bottom if high_first else top, kind, z, dz, cut, end)


@njit(forceinline=True, error_model="numpy")
def _meet_flat(top, side, z, dz, begin, end):
    """The same for a flat floor of height ``top``, whose upright side is met at ``begin``."""
    if z + begin * dz < top - _ROUNDING:
        return begin, side
    if dz < 0.0 and z + end * dz < top:
        return max(begin, (top - z) / dz), UPWARDS
    return math.inf, SKY

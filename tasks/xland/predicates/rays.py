"""Where a ray meets a body, in the body's own axes and sizes: a sphere has diameter 1, a player its metres.

Every function takes where the ray begins and its direction, and returns the time of the first point that it enters
through and the normal there (not of length 1 for pyramids and players); the time is infinite where it misses, and where
it begins inside.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, CAPSULE, SLAB_EDGES

_HALF_X, _HALF_Y, _HALF_Z = (edge / 2 for edge in SLAB_EDGES)
_APEX = 1.0 - BASE_DEPTH
#: A pyramid's side faces satisfy 2 |x| + z = apex, with the normal (2, 0, 1).
_PER_SIDE_NORMAL = 1.0 / math.sqrt(5.0)


@njit(forceinline=True, error_model="numpy")
def meet_body(shape, x, y, z, dx, dy, dz):
    """See above, for any shape."""
    if shape == SPHERE:
        return _meet_ball(0.5, x, y, z, dx, dy, dz)
    if shape == CAPSULE:
        return _meet_capsule(x, y, z, dx, dy, dz)
    if shape == PYRAMID:
        return _meet_pyramid(x, y, z, dx, dy, dz)
    if shape == SLAB:
        return _meet_box(_HALF_X, _HALF_Y, _HALF_Z, x, y, z, dx, dy, dz)
    return _meet_box(0.5, 0.5, 0.5, x, y, z, dx, dy, dz)


@njit(forceinline=True, error_model="numpy")
def _meet_ball(radius, x, y, z, dx, dy, dz):
    along = x * dx + y * dy + z * dz
    squared_length = dx * dx + dy * dy + dz * dz
    discriminant = along * along - squared_length * (x * x + y * y + z * z - radius * radius)
    if discriminant < 0.0:
        return math.inf, 0.0, 0.0, 0.0
    time = (-along - math.sqrt(discriminant)) / squared_length
    if time <= 0.0:
        return math.inf, 0.0, 0.0, 0.0
    scale = 1.0 / radius
    return time, (x + time * dx) * scale, (y + time * dy) * scale, (z + time * dz) * scale


@njit(forceinline=True, error_model="numpy")
def _meet_box(half_x, half_y, half_z, x, y, z, dx, dy, dz):
    enter_x, exit_x = _slab(half_x, x, dx)
    enter_y, exit_y = _slab(half_y, y, dy)
    enter_z, exit_z = _slab(half_z, z, dz)
    enter = max(enter_x, enter_y, enter_z)
    if enter >= min(exit_x, exit_y, exit_z) or enter <= 0.0:
        return math.inf, 0.0, 0.0, 0.0
    if enter == enter_x:
        return enter, math.copysign(1.0, -dx), 0.0, 0.0
    if enter == enter_y:
        return enter, 0.0, math.copysign(1.0, -dy), 0.0
    return enter, 0.0, 0.0, math.copysign(1.0, -dz)


@njit(forceinline=True, error_model="numpy")
def _slab(half, place, change):
    """When a ray enters and leaves the stretch from -half to half."""
    if change == 0.0:
        return (-math.inf, math.inf) if abs(place) < half else (math.inf, -math.inf)
    per = 1.0 / change
    middle, reach = -place * per, half * abs(per)
    return middle - reach, middle + reach


@njit(forceinline=True, error_model="numpy")
def _meet_pyramid(x, y, z, dx, dy, dz):
    enter, exit, face = -math.inf, math.inf, 0
    # What each face's plane has above 0 is outside; faces 1 to 4 look to east, west, north and south, 0 down.
    for number in range(5):
        if number == 0:
            above, change = -z - BASE_DEPTH, -dz
        elif number == 1:
            above, change = z + 2 * x - _APEX, dz + 2 * dx
        elif number == 2:
            above, change = z - 2 * x - _APEX, dz - 2 * dx
        elif number == 3:
            above, change = z + 2 * y - _APEX, dz + 2 * dy
        else:
            above, change = z - 2 * y - _APEX, dz - 2 * dy
        if change == 0.0:
            if above >= 0.0:
                return math.inf, 0.0, 0.0, 0.0
            continue
        time = -above / change
        if change > 0.0:
            exit = min(exit, time)
        elif time > enter:
            enter, face = time, number
    if enter >= exit or enter <= 0.0:
        return math.inf, 0.0, 0.0, 0.0
    if face == 0:
        return enter, 0.0, 0.0, -1.0
    out = 2 * _PER_SIDE_NORMAL if face % 2 else -2 * _PER_SIDE_NORMAL
    return (enter, out, 0.0, _PER_SIDE_NORMAL) if face <= 2 else (enter, 0.0, out, _PER_SIDE_NORMAL)


@njit(forceinline=True, error_model="numpy")
def _meet_capsule(x, y, z, dx, dy, dz):
    """A player is two balls and the cylinder between their centres."""
    across = dx * dx + dy * dy
    along = x * dx + y * dy
    beyond = x * x + y * y - PLAYER_RADIUS * PLAYER_RADIUS
    if across > 0.0:
        discriminant = along * along - across * beyond
        if discriminant < 0.0:
            return math.inf, 0.0, 0.0, 0.0  # nor does it meet the balls, which are within the cylinder's sides
        time = (-along - math.sqrt(discriminant)) / across
        height = z + time * dz
        if abs(height) <= AXIS_HALF:
            if time <= 0.0:
                return math.inf, 0.0, 0.0, 0.0
            scale = 1.0 / PLAYER_RADIUS
            return time, (x + time * dx) * scale, (y + time * dy) * scale, 0.0
    else:
        height = -dz  # straight up or down: the ball at the end that it comes from
    end = math.copysign(AXIS_HALF, height)
    return _meet_ball(PLAYER_RADIUS, x, y, z - end, dx, dy, dz)

"""Whether a body stands between two points.

A segment is obstructed where it passes through the inside of something; to touch a surface is not enough.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import (
    AXIS_HALF,
    BASE_DEPTH,
    CAPSULE,
    SLAB_EDGES,
    SQUARED_DISTANCE,
    SQUARED_RADIUS,
)
from procgen_bench.tasks.xland.predicates.geometry import local_direction
from procgen_bench.tasks.xland.predicates.intervals import times_below, times_between


@njit
def bodies_obstruct(bodies, balls, first, second, ax, ay, az, bx, by, bz):
    """Whether a body, other than the two that are numbered, obstructs the segment from a to b (metres).

    Those whose enclosing balls it passes are looked at closely.
    """
    dx, dy, dz = bx - ax, by - ay, bz - az
    squared_length = dx * dx + dy * dy + dz * dz
    per_squared_length = 1.0 / squared_length if squared_length > 0.0 else 0.0
    for k in range(balls.shape[1]):
        x, y, z = balls[0, k] - ax, balls[1, k] - ay, balls[2, k] - az
        time = min(max((x * dx + y * dy + z * dz) * per_squared_length, 0.0), 1.0)
        x, y, z = x - time * dx, y - time * dy, z - time * dz
        balls[SQUARED_DISTANCE, k] = x * x + y * y + z * z
    for k in range(balls.shape[1]):
        if balls[SQUARED_DISTANCE, k] < balls[SQUARED_RADIUS, k] and k not in (first, second):
            body = bodies[k]
            x, y, z = ax - body.centre[0], ay - body.centre[1], az - body.centre[2]
            if _passes_through(body, balls[SQUARED_DISTANCE, k], x, y, z, dx, dy, dz):
                return True
    return False


@njit
def _passes_through(body, squared_distance, x, y, z, dx, dy, dz):
    """Whether the segment that begins at (x, y, z) from the body's centre passes through its inside."""
    shape, size = body.shape, body.size
    if shape == SPHERE:
        return 4.0 * squared_distance < size * size
    if shape == CAPSULE:
        return _passes_through_capsule(x, y, z, dx, dy, dz)
    x, y, z = local_direction(body.frame, x, y, z)
    dx, dy, dz = local_direction(body.frame, dx, dy, dz)
    if shape == PYRAMID:
        return _passes_through_pyramid(size, x, y, z, dx, dy, dz)
    begin, end = 0.0, 1.0
    half_x = half_y = half_z = size / 2
    if shape == SLAB:
        half_x, half_y, half_z = size * SLAB_EDGES[0] / 2, size * SLAB_EDGES[1] / 2, size * SLAB_EDGES[2] / 2
    begin, end = times_between(begin, end, half_x, x, dx)
    begin, end = times_between(begin, end, half_y, y, dy)
    begin, end = times_between(begin, end, half_z, z, dz)
    return begin < end


@njit
def _passes_through_pyramid(size, x, y, z, dx, dy, dz):
    begin, end = times_below(0.0, 1.0, -z - size * BASE_DEPTH, -dz)
    top = size * (1.0 - BASE_DEPTH)  # a side face satisfies 2 x + z = top
    begin, end = times_below(begin, end, z + 2 * x - top, dz + 2 * dx)
    begin, end = times_below(begin, end, z - 2 * x - top, dz - 2 * dx)
    begin, end = times_below(begin, end, z + 2 * y - top, dz + 2 * dy)
    begin, end = times_below(begin, end, z - 2 * y - top, dz - 2 * dy)
    return begin < end


@njit
def _passes_through_capsule(x, y, z, dx, dy, dz):
    """A player is two balls and the cylinder between their centres."""
    if _passes_through_ball(x, y, z - AXIS_HALF, dx, dy, dz) or _passes_through_ball(x, y, z + AXIS_HALF, dx, dy, dz):
        return True
    begin, end = times_between(0.0, 1.0, AXIS_HALF, z, dz)
    if begin >= end:
        return False
    squared_length = dx * dx + dy * dy
    time = -(x * dx + y * dy) / squared_length if squared_length > 0.0 else 0.0
    time = min(max(time, begin), end)
    return math.hypot(x + time * dx, y + time * dy) < PLAYER_RADIUS


@njit
def _passes_through_ball(x, y, z, dx, dy, dz):
    """Whether the segment comes closer than a player's radius to the origin."""
    squared_length = dx * dx + dy * dy + dz * dz
    time = -(x * dx + y * dy + z * dz) / squared_length if squared_length > 0.0 else 0.0
    time = min(max(time, 0.0), 1.0)
    x, y, z = x + time * dx, y + time * dy, z + time * dz
    return x * x + y * y + z * z < PLAYER_RADIUS * PLAYER_RADIUS

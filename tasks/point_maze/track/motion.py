"""The compiled motion on the track, exact: straight where nothing is in the way, sliding along what is.

The agent's velocity is its action, for a time of 1. A wall takes away the part of the velocity that leads into it, at
every moment: along an arc the rest of it grows or shrinks with the arc's direction, and along the inner arc it ends
where the velocity points away from the wall. With psi the angle from the outward direction to the velocity v,
d psi / dt = -(|v| / radius) sin(psi), so that tan(psi / 2) decays as exp(-|v| t / radius).

A step is shorter than a quarter of the inner arc's turn is wide, so it meets one end of the track at most: the one on
its side of the x axis. The rules are written for the upper half; the lower half is mirrored.
"""

import math

import numpy as np
from numba import njit

from procgen_bench.tasks.point_maze.track.ring import END_ANGLE, END_X, END_Y, INNER_RADIUS, OUTER_RADIUS

#: What a straight motion meets first.
NOTHING, OUTER_ARC, INNER_ARC, END = range(4)


@njit(inline="always")
def travel(x, y, velocity_x, velocity_y):
    """Where the agent is after moving from (x, y) on the track with a velocity (of up to 1.35) for a time of 1.

    Args:
        x, y, velocity_x, velocity_y: float64.

    Returns:
        The new x and y, on the track but for rounding.
    """
    side = 1.0 if y >= 0 else -1.0
    new_x, new_y = _travel_upper(x, side * y, velocity_x, side * velocity_y)
    return new_x, side * new_y


@njit(cache=True)
def _travel_upper(x, y, velocity_x, velocity_y):
    """:func:`travel` from a point of the upper half."""
    speed = np.sqrt(velocity_x * velocity_x + velocity_y * velocity_y)
    if speed == 0.0:
        return x, y
    time_left = 1.0
    time, met = _first_met(x, y, velocity_x, velocity_y, time_left, True)
    x, y, time_left = x + time * velocity_x, y + time * velocity_y, time_left - time
    if met == INNER_ARC:
        angle = math.atan2(y, x) % math.tau
        turn, time = _slide_on_inner_arc(_off_outward(x, y, velocity_x, velocity_y), speed, time_left)
        angle, time_left = angle + turn, time_left - time
        x, y = INNER_RADIUS * math.cos(angle), INNER_RADIUS * math.sin(angle)
        if angle <= END_ANGLE:
            # In the corner of the inner arc and the end, the velocity points into both walls.
            return INNER_RADIUS * END_X, INNER_RADIUS * END_Y
        time, met = _first_met(x, y, velocity_x, velocity_y, time_left, False)
        x, y, time_left = x + time * velocity_x, y + time * velocity_y, time_left - time
    if met == OUTER_ARC:
        turn = _turn_on_arc(_off_outward(x, y, velocity_x, velocity_y), speed * time_left / OUTER_RADIUS)
        angle = max(math.atan2(y, x) % math.tau + turn, END_ANGLE)
        return OUTER_RADIUS * math.cos(angle), OUTER_RADIUS * math.sin(angle)
    if met == END:
        radius = x * END_X + y * END_Y + time_left * (velocity_x * END_X + velocity_y * END_Y)
        radius = min(max(radius, INNER_RADIUS), OUTER_RADIUS)
        return radius * END_X, radius * END_Y
    return x, y


@njit(cache=True)
def _first_met(x, y, velocity_x, velocity_y, time_left, inner_arc_is_ahead):
    """When the straight motion meets a wall first (at most ``time_left``, then it meets none), and which one.

    Rounding may have put the agent a little into a wall: it then meets that wall at time 0.
    """
    first, met = time_left, NOTHING
    square_speed = velocity_x * velocity_x + velocity_y * velocity_y
    outward = x * velocity_x + y * velocity_y
    square_radius = x * x + y * y
    outer = outward * outward - square_speed * (square_radius - OUTER_RADIUS * OUTER_RADIUS)
    time = max((np.sqrt(max(outer, 0.0)) - outward) / square_speed, 0.0)
    if time < first:
        first, met = time, OUTER_ARC
    inner = outward * outward - square_speed * (square_radius - INNER_RADIUS * INNER_RADIUS)
    if inner_arc_is_ahead and outward < 0 and inner > 0:
        time = max((-np.sqrt(inner) - outward) / square_speed, 0.0)
        if time < first:
            first, met = time, INNER_ARC
    # The end lies on a ray; how far the agent is on the track's side of the ray's line, and how fast that grows.
    inside, growth = y * END_X - x * END_Y, velocity_y * END_X - velocity_x * END_Y
    if growth < 0:
        time = max(-inside / growth, 0.0)
        on_ray = (x + time * velocity_x) * END_X + (y + time * velocity_y) * END_Y > 0
        if on_ray and time < first:
            first, met = time, END
    return first, met


@njit(cache=True)
def _off_outward(x, y, velocity_x, velocity_y):
    """Angle from the outward direction at (x, y) to the velocity, -pi to pi."""
    return math.atan2(x * velocity_y - y * velocity_x, x * velocity_x + y * velocity_y)


@njit(cache=True)
def _turn_on_arc(off_outward, way):
    """Angle that the agent turns around the centre when pressed onto an arc over a way of so many radii."""
    return off_outward - 2 * math.atan(math.tan(off_outward / 2) * math.exp(-way))


@njit(cache=True)
def _slide_on_inner_arc(off_outward, speed, time_left):
    """Angle that the agent turns around the centre before it leaves the arc or its time ends, and the time it takes."""
    half_tangent = math.tan(abs(off_outward) / 2)
    leaving = INNER_RADIUS / speed * math.log(max(half_tangent, 1.0))
    if leaving < time_left:
        return off_outward - math.copysign(math.pi / 2, off_outward), leaving
    return _turn_on_arc(off_outward, speed * time_left / INNER_RADIUS), time_left

"""The compiled motion on the track, exact: straight where nothing is in the way, sliding along what is.

The agent's velocity is its action, for a time of 1. A wall takes away the part of the velocity that leads into it, at
every moment: along an arc the rest of it grows or shrinks with the arc's direction, and along the inner arc it ends
where the velocity points away from the wall. With psi the angle from the outward direction to the velocity v,
d psi / dt = -(|v| / radius) sin(psi), so that tan(psi / 2) decays as exp(-|v| t / radius).

A step turns the agent around the centre by less than a right angle, so it meets one end of the track at most: the one
on its side of the x axis. The rules are written for the upper half; the lower half is mirrored.
"""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.point_maze.track.ring import END_X, END_Y, INNER_RADIUS, OUTER_RADIUS

#: What a straight motion meets first.
NOTHING, OUTER_ARC, INNER_ARC, END = range(4)
#: A velocity that leads around the centre by less than this stops at an arc: squares of its ratios would overflow.
_HEAD_ON = 1e-100


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


@njit
def _travel_upper(x, y, velocity_x, velocity_y):
    """:func:`travel` from a point of the upper half."""
    speed = np.sqrt(velocity_x * velocity_x + velocity_y * velocity_y)
    if speed == 0.0:
        return x, y
    time_left = 1.0
    time, met = _first_met(x, y, velocity_x, velocity_y, time_left, True)
    x, y, time_left = x + time * velocity_x, y + time * velocity_y, time_left - time
    if met == INNER_ARC:
        x, y, time = _slide(x, y, velocity_x, velocity_y, time_left, INNER_RADIUS)
        if _is_past_end(x, y):
            # In the corner of the inner arc and the end, the velocity points into both walls.
            return INNER_RADIUS * END_X, INNER_RADIUS * END_Y
        time_left -= time
        time, met = _first_met(x, y, velocity_x, velocity_y, time_left, False)
        x, y, time_left = x + time * velocity_x, y + time * velocity_y, time_left - time
    if met == OUTER_ARC:
        x, y, _ = _slide(x, y, velocity_x, velocity_y, time_left, OUTER_RADIUS)
        if _is_past_end(x, y):
            return OUTER_RADIUS * END_X, OUTER_RADIUS * END_Y
        return x, y
    if met == END:
        radius = x * END_X + y * END_Y + time_left * (velocity_x * END_X + velocity_y * END_Y)
        radius = min(max(radius, INNER_RADIUS), OUTER_RADIUS)
        return radius * END_X, radius * END_Y
    return x, y


@njit
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


@njit
def _slide(x, y, velocity_x, velocity_y, time_left, radius):
    """Slide along an arc for ``time_left``, or until the velocity points away from it; the new x, y and the time."""
    speed = np.sqrt(velocity_x * velocity_x + velocity_y * velocity_y)
    outward, around = x * velocity_x + y * velocity_y, x * velocity_y - y * velocity_x
    scale = radius / np.sqrt(x * x + y * y)
    x, y = scale * x, scale * y
    if abs(around) < _HEAD_ON:
        return x, y, time_left
    # tan(psi / 2), of the two formulas the one that subtracts nothing, at the beginning and at the end.
    size = np.sqrt(outward * outward + around * around)
    half_tangent = around / (size + outward) if outward > 0 else (size - outward) / around
    time = time_left
    if radius == INNER_RADIUS:  # left when psi is a quarter turn; one that is only grazed, at once
        time = min(radius / speed * math.log(max(abs(half_tangent), 1.0)), time_left)
    last = half_tangent * math.exp(-speed * time / radius)
    # The agent turns around the centre by the angle that psi loses; this is the tangent of its half.
    half_turn = (half_tangent - last) / (1 + half_tangent * last)
    cosine = (1 - half_turn * half_turn) / (1 + half_turn * half_turn)
    sine = 2 * half_turn / (1 + half_turn * half_turn)
    return cosine * x - sine * y, sine * x + cosine * y, time


@njit
def _is_past_end(x, y):
    """Whether an agent that slid along an arc in the upper half, by less than a quarter turn, slid past the end."""
    return y * END_X - x * END_Y < 0 and x * END_X + y * END_Y > 0

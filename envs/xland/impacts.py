"""Bodies that fly fast are slowed down right before they meet something, as if what they meet were padded.

The physics stops bodies by forces that act only once they overlap: at 12 m/s they would be in each other by a fifth of
a metre before it does. Until then they fly freely.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.body_arrays import first_position, first_velocity
from procgen_bench.envs.xland.model import OBJECT_POSITIONS
from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH
from procgen_bench.tasks.xland.worlds.tiles import floor_height

#: Greatest speed (metres per second) at which a body meets another, or the ground; it bounds how deep bodies come to
#: lie in each other in one step of the physics.
IMPACT_SPEED = 4.0
#: Times at which the ground ahead is looked at until the forces are renewed.
_LOOKS = 8
#: What a body's lowest point may lie below a floor that it is not over (metres): next to a ledge, say.
_BESIDE = 1e-3


@njit
def soften_impacts(objects, positions, velocities, support, gone, ground, seconds):
    """Slow down what is fast and meets something within ``seconds``, so that it comes there at ``IMPACT_SPEED``.

    Args:
        objects: OBJECT (K,).
        positions, velocities, support: See :func:`~procgen_bench.envs.xland.driving.drive`; velocities are changed.
        gone: int64 (K + P,), above 0 for what is gone.
        ground: Kinds, levels, floors and tile size of the world.
        seconds: Until the forces are renewed.
    """
    num_objects, num_bodies = objects.shape[0], gone.shape[0]
    for body in range(num_bodies):
        slot = first_velocity(body, num_objects)
        x, y, z = velocities[slot], velocities[slot + 1], velocities[slot + 2]
        is_object = body < num_objects
        # A player is as fast to the sides as it walks; what falls is fast downwards.
        speed = math.sqrt(x * x + y * y + z * z) if is_object else -z
        if gone[body] > 0 or not speed > IMPACT_SPEED:
            continue
        if is_object and support[slot + 2] > 0.0:
            share = IMPACT_SPEED / speed  # it slides, or rolls
        else:
            free = _free_time(objects, positions, velocities, gone, ground, body, seconds)
            share = max(free / seconds, IMPACT_SPEED / speed)
        if share < 1.0:
            for axis in range(0 if is_object else 2, 3):
                velocities[slot + axis] *= share


@njit
def _free_time(objects, positions, velocities, gone, ground, body, seconds):
    """For how long a body flies on until it meets something; at most ``seconds``."""
    free = _time_to_ground(objects, positions, velocities, ground, body, seconds)
    for other in range(gone.shape[0]):
        if other != body and gone[other] == 0:
            free = min(free, _time_to_body(objects, positions, velocities, body, other))
    return free


@njit
def _time_to_ground(objects, positions, velocities, ground, body, seconds):
    """When the box around a body comes into the ground or a wall; parts of it that are there already do not count."""
    kinds, levels, _, size = ground
    num_objects = objects.shape[0]
    place, slot = first_position(body, num_objects), first_velocity(body, num_objects)
    x, y, z = positions[place], positions[place + 1], positions[place + 2]
    lowest = z - _reach(objects, positions, body, 0.0, 0.0, -1.0)
    for i in range(-1, 2):
        for j in range(-1, 2):
            east = x + i * _reach(objects, positions, body, float(i), 0.0, 0.0) if i != 0 else x
            north = y + j * _reach(objects, positions, body, 0.0, float(j), 0.0) if j != 0 else y
            if _is_below(kinds, levels, size, east, north, lowest + _BESIDE):
                continue
            for look in range(1, _LOOKS + 1):
                time = seconds * look / _LOOKS
                if _is_below(
                    kinds,
                    levels,
                    size,
                    east + time * velocities[slot],
                    north + time * velocities[slot + 1],
                    lowest + time * velocities[slot + 2],
                ):
                    seconds = time - seconds / _LOOKS
                    break
    return seconds


@njit
def _is_below(kinds, levels, size, x, y, z):
    """Whether a point (metres) lies in the ground or beyond a wall."""
    east, north = x / size[0], y / size[1]
    if not (0.0 <= east <= kinds.shape[1] and 0.0 <= north <= kinds.shape[0]):
        return True
    return z < floor_height(kinds, levels, east, north) * size[2]


@njit
def _time_to_body(objects, positions, velocities, body, other):
    """When two bodies that fly on as they do meet, were there nothing else; infinite if they pass each other."""
    num_objects = objects.shape[0]
    place, slot = first_position(body, num_objects), first_velocity(body, num_objects)
    its_place, its_slot = first_position(other, num_objects), first_velocity(other, num_objects)
    dx, dy, dz = (
        velocities[slot] - velocities[its_slot],
        velocities[slot + 1] - velocities[its_slot + 1],
        velocities[slot + 2] - velocities[its_slot + 2],
    )
    x, y, z = (
        positions[its_place] - positions[place],
        positions[its_place + 1] - positions[place + 1],
        positions[its_place + 2] - positions[place + 2],
    )
    speed = math.sqrt(dx * dx + dy * dy + dz * dz)
    if speed == 0.0:
        return math.inf
    dx, dy, dz = dx / speed, dy / speed, dz / speed
    along = x * dx + y * dy + z * dz
    if along <= 0.0:
        return math.inf  # they part
    x, y, z = x - along * dx, y - along * dy, z - along * dz
    aside = math.sqrt(x * x + y * y + z * z)
    if aside > 0.0:
        x, y, z = x / aside, y / aside, z / aside
        both = _reach(objects, positions, body, x, y, z) + _reach(objects, positions, other, -x, -y, -z)
        if aside > both:
            return math.inf
    both = _reach(objects, positions, body, dx, dy, dz) + _reach(objects, positions, other, -dx, -dy, -dz)
    return max(along - both, 0.0) / speed


@njit
def _reach(objects, positions, body, x, y, z):
    """How far a body reaches from its centre in a direction of length 1 (metres)."""
    if body >= objects.shape[0]:
        return AXIS_HALF * abs(z) + PLAYER_RADIUS
    thing = objects[body]
    if thing.shape == SPHERE:
        return thing.half[0]
    first = OBJECT_POSITIONS * body + 3
    w, a, b, c = positions[first], positions[first + 1], positions[first + 2], positions[first + 3]
    # The direction along the object's own axes, by its rotation's inverse.
    p, q, r = b * z - c * y - w * x, c * x - a * z - w * y, a * y - b * x - w * z
    x, y, z = x + 2.0 * (b * r - c * q), y + 2.0 * (c * p - a * r), z + 2.0 * (a * q - b * p)
    if thing.shape == PYRAMID:
        size = 2.0 * thing.half[0]
        return size * max(0.5 * (abs(x) + abs(y)) - BASE_DEPTH * z, (1.0 - BASE_DEPTH) * z)
    return thing.half[0] * abs(x) + thing.half[1] * abs(y) + thing.half[2] * abs(z)

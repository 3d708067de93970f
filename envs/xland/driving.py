"""Between steps of the physics: the forces of players and their beams, and what holds the bodies' speeds in bounds."""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.envs.xland.beam import pull
from procgen_bench.envs.xland.impacts import soften_impacts
from procgen_bench.envs.xland.model import (
    FRICTION,
    OBJECT_POSITIONS,
    OBJECT_VELOCITIES,
    PLAYER_SLIDES,
    SLIDING_FRICTION,
    SLIDING_SPEED,
)
from procgen_bench.envs.xland.players import GRAVITY, turn, walk
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS

#: Greatest speed of an object (metres per second): no fall here comes to it, nor what a beam swings.
TOP_SPEED = 20.0
#: Physics that comes to greater numbers (metres, and per second) than this has diverged.
BOUND = 1e4
#: Greatest spin of an object that does not roll (radians per second), and the spin that it always has while it is
#: awake: MuJoCo takes boxes whose edges are parallel to the last bit, one on the other's edge, for deep in each other.
TOP_SPIN, LEAST_SPIN = 8.0, 1e-7
#: What no object's speed gains on the greatest before (metres per second) until the forces are renewed, unless a beam
#: pulls it.
THROWN = 6.0
#: Bodies that come within this distance (metres) of each other may meet before the forces are renewed.
MEETING_DISTANCE = 0.15


@njit
def drive(players, objects, positions, velocities, friction, applied, support, gone, laden, ground, before, seconds):
    """Turn the players for a while, and write the forces for it, after :func:`check`.

    Args:
        players: PLAYER (P,), changed.
        objects: OBJECT (K,).
        positions: float64 (7 K + 3 P,), see :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        velocities: float64 (6 K + 3 P,), changed where they are too fast.
        friction: float64 (K + P,), of the bodies, written for objects that slide.
        applied: float64 (6 K + 3 P,), written: forces and torques, in the order of the velocities.
        support: float64 (6 K + 3 P,), in the same order: forces of what the bodies touched in the last 10 ms.
        gone: int64 (K + P,), above 0 for what is gone.
        laden: bool (K,), the objects that bear a player.
        ground: Kinds, levels, floors and tile size of the world.
        before: Positions and velocities when forces were last written, or noted: those of now are noted in it.
        seconds: How long.

    Returns:
        Whether the state is sound, and forces have been written.
    """
    if not check(objects, positions, velocities, before):
        return False
    soften_impacts(objects, positions, velocities, support, gone, ground, seconds)
    applied[:] = 0.0
    num_objects = objects.shape[0]
    for k in range(num_objects):
        motion = velocities[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
        on_object = applied[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
        if objects[k].slides:
            friction[k] = _slow_down(motion)
            _drag(motion, friction[k], objects[k].mass, support[OBJECT_VELOCITIES * k + 2], seconds, on_object)
        else:
            _limit(motion[:3], TOP_SPEED)
    for k in range(num_objects):
        if objects[k].gives_way:
            friction[k] = min(friction[k], _contact_friction(_speed_of_approach(objects, positions, velocities, k)))
    for p in range(players.shape[0]):
        player = players[p]
        if not player.there:
            continue
        slot = OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * p
        place = OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * p
        centre = positions[place : place + PLAYER_SLIDES]
        velocity, on_player = velocities[slot : slot + PLAYER_SLIDES], applied[slot : slot + PLAYER_SLIDES]
        turn(player, seconds)
        walk(player, centre[2] - PLAYER_HEIGHT / 2, velocity, on_player)
        k = player.held
        if k >= 0:
            pose = positions[OBJECT_POSITIONS * k : OBJECT_POSITIONS * (k + 1)]
            motion = velocities[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
            on_object = applied[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
            thing = objects[k]
            pull(player, centre, velocity, thing.mass, thing.inertia, laden[k], pose, motion, on_object, on_player)
    note(positions, velocities, before)
    return True


@njit
def note(positions, velocities, before):
    """Copy positions and velocities to ``before``, a pair of arrays of their shapes."""
    copy(positions, before[0])
    copy(velocities, before[1])


@njit
def check(objects, positions, velocities, before):
    """After some 10 ms from what :func:`note` noted: whether the state is sound. What was thrown is put back at rest.

    MuJoCo now and then takes two boxes whose edges meet for metres deep in each other (where none of the lines of one
    edge's faces crosses the other's face), and throws the object out at 10 to 80 m/s.
    """
    if not is_sound(positions, velocities):
        return False
    fastest = _greatest_speed(before[1], objects.shape[0])
    for k in range(objects.shape[0]):
        first = OBJECT_VELOCITIES * k
        if _speed(velocities, first) > fastest + THROWN:
            for place in range(first, first + OBJECT_VELOCITIES):
                velocities[place] = 0.0
            for place in range(OBJECT_POSITIONS * k, OBJECT_POSITIONS * (k + 1)):
                positions[place] = before[0][place]
    return True


@njit
def _greatest_speed(velocities, num_objects):
    """That of all bodies (metres per second)."""
    greatest = 0.0
    for k in range(num_objects):
        greatest = max(greatest, _speed(velocities, OBJECT_VELOCITIES * k))
    for first in range(OBJECT_VELOCITIES * num_objects, velocities.shape[0], PLAYER_SLIDES):
        greatest = max(greatest, _speed(velocities, first))
    return greatest


@njit
def _speed(velocities, first):
    """Length of the three numbers from ``first`` on."""
    x, y, z = velocities[first], velocities[first + 1], velocities[first + 2]
    return math.sqrt(x * x + y * y + z * z)


@njit
def is_sound(positions, velocities):
    """Whether all numbers are such as a world can have; those that are none are not."""
    for numbers in (positions, velocities):
        for place in range(numbers.shape[0]):
            if not abs(numbers[place]) < BOUND:
                return False
    return True


@njit
def _contact_friction(speed):
    """Friction in contacts of what slides at a speed, or is about to."""
    return FRICTION * SLIDING_SPEED / max(speed, SLIDING_SPEED)


@njit
def _slow_down(motion):
    """Hold an object's speed and spin in bounds, and return its friction in contacts."""
    speed = _limit(motion[:3], TOP_SPEED)
    _limit(motion[3:], TOP_SPIN)
    if speed > 0.0 and abs(motion[3]) < LEAST_SPIN:
        motion[3] = LEAST_SPIN
    return _contact_friction(speed)


@njit
def _drag(motion, friction, mass, support, seconds, force):
    """Write the force that makes up for the friction that the contacts of a sliding object lack.

    It grows with what carries the object, at most twice its weight, and at most stops it.
    """
    speed = math.sqrt(motion[0] * motion[0] + motion[1] * motion[1] + motion[2] * motion[2])
    if speed > SLIDING_SPEED and friction < SLIDING_FRICTION:
        carried = min(max(support, 0.0), 2.0 * mass * GRAVITY)
        drag = min((SLIDING_FRICTION - friction) * carried / speed, mass / seconds)
        for axis in range(3):
            force[axis] = -drag * motion[axis]


@njit
def _speed_of_approach(objects, positions, velocities, k):
    """The greatest speed at which a body comes towards object ``k`` that may meet it soon."""
    num_objects, greatest = objects.shape[0], 0.0
    num_players = (velocities.shape[0] - OBJECT_VELOCITIES * num_objects) // PLAYER_SLIDES
    for body in range(num_objects + num_players):
        p = max(body - num_objects, 0)
        place = OBJECT_POSITIONS * min(body, num_objects) + PLAYER_SLIDES * p
        slot = OBJECT_VELOCITIES * min(body, num_objects) + PLAYER_SLIDES * p
        if velocities[slot] == 0.0 and velocities[slot + 1] == 0.0:
            continue
        reach, height = objects[k].reach + MEETING_DISTANCE, objects[k].reach
        reach += PLAYER_RADIUS if body >= num_objects else objects[body].reach
        height += PLAYER_HEIGHT / 2 if body >= num_objects else objects[body].reach
        x = positions[OBJECT_POSITIONS * k] - positions[place]
        y = positions[OBJECT_POSITIONS * k + 1] - positions[place + 1]
        apart = math.hypot(x, y)
        if 0.0 < apart < reach and abs(positions[OBJECT_POSITIONS * k + 2] - positions[place + 2]) < height:
            greatest = max(greatest, (velocities[slot] * x + velocities[slot + 1] * y) / apart)
    return greatest


@njit
def _limit(vector, most):
    """Shorten a vector to this length where it is longer, and return the length that it had."""
    length = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if length > most:
        for axis in range(3):
            vector[axis] *= most / length
    return length

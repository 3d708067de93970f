"""Between steps of the physics: the forces of players and their beams, and what holds the bodies' speeds in bounds."""

import math

from numba import njit

from procgen_bench.envs.xland.beam import pull
from procgen_bench.envs.xland.model import FRICTION, OBJECT_POSITIONS, OBJECT_VELOCITIES, PLAYER_SLIDES, SLIDING_SPEED
from procgen_bench.envs.xland.players import turn, walk
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT

#: Greatest speed of a body (metres per second), of an object in all directions and of a player downwards, as if by the
#: drag of the air; it bounds how deep bodies come to lie in each other in one step of the physics: 4.1 cm.
TOP_SPEED = 4.0
#: Physics that comes to greater numbers (metres, and per second) than this has diverged.
BOUND = 1e6
#: Greatest spin of an object that does not roll (radians per second).
TOP_SPIN = 8.0


@njit(cache=True)
def drive(players, objects, positions, velocities, friction, applied, seconds):
    """Turn the players for a while, and write the forces for it.

    Args:
        players: PLAYER (P,), changed.
        objects: OBJECT (K,).
        positions: float64 (7 K + 3 P,), see :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        velocities: float64 (6 K + 3 P,), changed where they are too fast.
        friction: float64 (K + P,), of the bodies, written for objects that slide.
        applied: float64 (6 K + 3 P,), written: forces and torques, in the order of the velocities.
        seconds: How long.

    Returns:
        Whether the state is sound, and forces have been written.
    """
    if not is_sound(positions, velocities):
        return False
    applied[:] = 0.0
    num_objects = objects.shape[0]
    for k in range(num_objects):
        if objects[k].slides:
            friction[k] = _slow_down(velocities[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)])
        else:
            _limit(velocities[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * k + 3], TOP_SPEED)
    for p in range(players.shape[0]):
        player = players[p]
        if not player.there:
            continue
        slot = OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * p
        place = OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * p
        centre = positions[place : place + PLAYER_SLIDES]
        velocity, on_player = velocities[slot : slot + PLAYER_SLIDES], applied[slot : slot + PLAYER_SLIDES]
        velocity[2] = max(velocity[2], -TOP_SPEED)
        turn(player, seconds)
        walk(player, centre[2] - PLAYER_HEIGHT / 2, velocity, on_player)
        k = player.held
        if k >= 0:
            pose = positions[OBJECT_POSITIONS * k : OBJECT_POSITIONS * (k + 1)]
            motion = velocities[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
            on_object = applied[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
            pull(player, centre, velocity, objects[k].mass, objects[k].inertia, pose, motion, on_object, on_player)
    return True


@njit(cache=True)
def is_sound(positions, velocities):
    """Whether all numbers are such as a world can have; those that are none are not."""
    for numbers in (positions, velocities):
        for place in range(numbers.shape[0]):
            if not abs(numbers[place]) < BOUND:
                return False
    return True


@njit(cache=True)
def _slow_down(motion):
    """Hold an object's speed and spin in bounds, and return its friction."""
    speed = _limit(motion[:3], TOP_SPEED)
    _limit(motion[3:], TOP_SPIN)
    return FRICTION * SLIDING_SPEED / max(speed, SLIDING_SPEED)


@njit(cache=True)
def _limit(vector, most):
    """Shorten a vector to this length where it is longer, and return the length that it had."""
    length = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if length > most:
        for axis in range(3):
            vector[axis] *= most / length
    return length

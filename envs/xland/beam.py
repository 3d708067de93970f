"""The beam by which a player holds an object (2.1): a damped spring towards a point on its view axis.

The spring pulls the object's centre to the point at the distance at which it was taken. Its force is limited, and acts
back on the player, but never upwards: who presses an object to the ground stays on it. Nor has a beam any force on what
a player stands on, by which it could lift the player or squeeze it up. An object that stays behind too far is lost.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.players import GRAVITY, view_axis
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.camera import EYE_HEIGHT

#: How far from the eye an object's surface may be to be taken (metres).
BEAM_RANGE = 4.0
#: Least and greatest distance at which an object's centre is held (metres).
LEAST_DISTANCE, GREATEST_DISTANCE = 1.2, 5.0
#: The spring's frequency (radians per second), critically damped, and its greatest force (newtons).
BEAM_FREQUENCY, BEAM_FORCE = 12.0, 800.0
#: An object that is this far (metres) from the point to which it is pulled is lost.
LOST_DISTANCE = 1.5
#: Part of its spin that a held object loses in a second.
SPIN_DAMPING = 8.0
EYE_ABOVE_CENTRE = EYE_HEIGHT - PLAYER_HEIGHT / 2


@njit
def pull(player, centre, velocity, mass, inertia, laden, position, motion, force, reaction):
    """Add the forces of the beam to those on the object and on the player, or let go of the object.

    Args:
        player: PLAYER that holds an object, changed.
        centre: float64 (3,), of the player (metres).
        velocity: float64 (3,), of the player (metres per second).
        mass: Of the object (kg).
        inertia: float64 (3,), of the object about its axes (kg m2).
        laden: Whether a player stands on the object, or on what lies on it.
        position: float64 (3,), of the object (metres).
        motion: float64 (6,), velocity of the object and its spin about its own axes (per second).
        force: float64 (6,), on the object: force and torque (newtons and newton metres), added to.
        reaction: float64 (3,), force on the player, added to.
    """
    x, y, z = view_axis(player)
    length = player.distance
    gap_x = centre[0] + length * x - position[0]
    gap_y = centre[1] + length * y - position[1]
    gap_z = centre[2] + EYE_ABOVE_CENTRE + length * z - position[2]
    if gap_x * gap_x + gap_y * gap_y + gap_z * gap_z > LOST_DISTANCE * LOST_DISTANCE:
        player.held = -1
        return
    # The point moves with the player, and round it where the player turns or looks up.
    tilt = player.looking * length
    rate_x = velocity[0] - length * y * player.turning - tilt * math.sin(player.pitch) * math.cos(player.yaw)
    rate_y = velocity[1] + length * x * player.turning - tilt * math.sin(player.pitch) * math.sin(player.yaw)
    rate_z = velocity[2] + tilt * math.cos(player.pitch)
    stiffness, damping = BEAM_FREQUENCY * BEAM_FREQUENCY * mass, 2.0 * BEAM_FREQUENCY * mass
    force_x = stiffness * gap_x + damping * (rate_x - motion[0])
    force_y = stiffness * gap_y + damping * (rate_y - motion[1])
    force_z = stiffness * gap_z + damping * (rate_z - motion[2]) + mass * GRAVITY
    total = math.sqrt(force_x * force_x + force_y * force_y + force_z * force_z)
    scale = 0.0 if laden else BEAM_FORCE / max(total, BEAM_FORCE)
    player.force[0], player.force[1], player.force[2] = scale * force_x, scale * force_y, scale * force_z
    for axis in range(3):
        force[axis] += player.force[axis]
        reaction[axis] -= player.force[axis] if axis < 2 else max(player.force[axis], 0.0)
        force[3 + axis] -= SPIN_DAMPING * inertia[axis] * motion[3 + axis]

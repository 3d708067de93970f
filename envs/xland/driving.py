"""Between steps of the physics: the forces of players and their beams. After them: states as predicates read them."""

import math

import numpy as np
from numba import njit

from procgen_bench.envs.xland.beam import EYE_ABOVE_CENTRE, pull
from procgen_bench.envs.xland.model import FRICTION, OBJECT_VELOCITIES, PLAYER_SLIDES, SLIDING_SPEED, STEP_SECONDS
from procgen_bench.envs.xland.players import turn, walk
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT


@njit(cache=True)
def drive(players, there, poses, motions, places, velocities, masses, inertias, slides, friction, applied):
    """Turn the players for one step of the physics, and write the forces for it.

    Args:
        players: PLAYER (P,), changed.
        there: bool (P,), which of them are present.
        poses, motions, places, velocities, masses, inertias, slides: See
            :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        friction: float64 (K + P,), of the bodies, written for the objects.
        applied: float64 (6 K + 3 P,), written.
    """
    applied[:] = 0.0
    for k in range(poses.shape[0]):
        if slides[k]:
            x, y, z = motions[k, 0], motions[k, 1], motions[k, 2]
            friction[k] = FRICTION * SLIDING_SPEED / max(math.sqrt(x * x + y * y + z * z), SLIDING_SPEED)
    first_player = OBJECT_VELOCITIES * poses.shape[0]
    for p in range(players.shape[0]):
        if not there[p]:
            continue
        player, slot = players[p], first_player + PLAYER_SLIDES * p
        on_player = applied[slot : slot + PLAYER_SLIDES]
        turn(player)
        walk(player, places[p, 2] - PLAYER_HEIGHT / 2, velocities[p], on_player)
        k = player.held
        if k >= 0:
            on_object = applied[OBJECT_VELOCITIES * k : OBJECT_VELOCITIES * (k + 1)]
            pull(player, places[p], velocities[p], masses[k], inertias[k], poses[k], motions[k], on_object, on_player)


@njit(cache=True)
def feel(players, velocities):
    """Note what players feel of the step that is over: their acceleration."""
    for p in range(players.shape[0]):
        player = players[p]
        cos, sin = math.cos(player.yaw), math.sin(player.yaw)
        east = (velocities[p, 0] - player.velocity[0]) / STEP_SECONDS
        north = (velocities[p, 1] - player.velocity[1]) / STEP_SECONDS
        player.acceleration[0], player.acceleration[1] = cos * east + sin * north, cos * north - sin * east
        player.acceleration[2] = (velocities[p, 2] - player.velocity[2]) / STEP_SECONDS
        for axis in range(3):
            player.velocity[axis] = velocities[p, axis]
        if player.held < 0:
            player.force[0] = player.force[1] = player.force[2] = 0.0


@njit(cache=True)
def hand_distances(players, places, poses, out):
    """Write how far from the eyes the held objects' centres are (metres), 0 for players that hold none."""
    for p in range(players.shape[0]):
        k = players[p].held
        out[p] = 0.0
        if k >= 0:
            x, y = poses[k, 0] - places[p, 0], poses[k, 1] - places[p, 1]
            z = poses[k, 2] - places[p, 2] - EYE_ABOVE_CENTRE
            out[p] = math.sqrt(x * x + y * y + z * z)


@njit(cache=True)
def write_states(states, players, gone, poses, places):
    """Fill the arrays of one state, ``StateArrays``, but for its contacts."""
    num_objects = poses.shape[0]
    for k in range(num_objects):
        for axis in range(3):
            states.object_positions[0, k, axis] = poses[k, axis]
        for part in range(4):
            states.object_rotations[0, k, part] = poses[k, 3 + part]
        states.objects_present[0, k] = gone[k] == 0
    for p in range(players.shape[0]):
        for axis in range(3):
            states.player_positions[0, p, axis] = places[p, axis]
        states.player_yaws[0, p], states.player_pitches[0, p] = players[p].yaw, players[p].pitch
        states.players_present[0, p] = gone[num_objects + p] == 0
        for k in range(num_objects):
            states.held[0, p, k] = players[p].held == k


@njit(cache=True)
def all_finite(numbers):
    """Whether no number is infinite or none at all."""
    return np.isfinite(numbers).all()

"""After a step: the state as the predicates read it, and what players feel of it."""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.beam import EYE_ABOVE_CENTRE
from procgen_bench.envs.xland.contacts import find_contacts
from procgen_bench.envs.xland.model import OBJECT_POSITIONS, OBJECT_VELOCITIES, PLAYER_SLIDES, STEP_SECONDS
from procgen_bench.tasks.xland.predicates.evaluation import fill_truths
from procgen_bench.tasks.xland.predicates.rewards import fill_rewards


@njit
def observe(scenes, states, players, gone, positions, velocities, contacts, ground, body_of_geom, awake, game):
    """Perceive the state, and fill the truths and the rewards.

    Args:
        scenes: ``SceneArrays`` of one world.
        game: Atoms to evaluate (bool (1, P, 212)), options and their numbers (see
            :class:`~procgen_bench.tasks.xland.predicates.rewards.Goals`), and, written, truths (bool (1, P, 212)) and
            rewards (float64 (1, P)).
        states, players, gone, positions, velocities, contacts, ground, body_of_geom, awake: See :func:`perceive`.
    """
    wanted, options, num_options, truths, rewards = game
    perceive(states, players, gone, positions, velocities, contacts, ground, body_of_geom, awake)
    fill_truths(scenes, states, wanted, truths)
    fill_rewards(truths, options, num_options, rewards)


@njit
def perceive(states, players, gone, positions, velocities, contacts, ground, body_of_geom, awake):
    """Fill the arrays of one state, and note in the players what they feel.

    Args:
        states: ``StateArrays`` of one state, written; contacts of what sleeps stay.
        players: PLAYER (P,), changed.
        gone: int64 (K + P,), above 0 for what is gone.
        positions, velocities, body_of_geom, awake: See :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        contacts, ground: See :func:`~procgen_bench.envs.xland.contacts.find_contacts`.
    """
    num_objects = states.object_positions.shape[1]
    for k in range(num_objects):
        first = OBJECT_POSITIONS * k
        for axis in range(3):
            states.object_positions[0, k, axis] = positions[first + axis]
        for part in range(4):
            states.object_rotations[0, k, part] = positions[first + 3 + part]
        states.objects_present[0, k] = gone[k] == 0
    for p in range(players.shape[0]):
        player = players[p]
        first = OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * p
        for axis in range(3):
            states.player_positions[0, p, axis] = positions[first + axis]
        states.player_yaws[0, p], states.player_pitches[0, p] = player.yaw, player.pitch
        states.players_present[0, p] = gone[num_objects + p] == 0
        for k in range(num_objects):
            states.held[0, p, k] = player.held == k
        _feel_motion(player, velocities, OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * p)
        _feel_hand(player, positions, first)
    find_contacts(contacts, ground, body_of_geom, awake, states.contacts[0])


@njit
def _feel_motion(player, velocities, first):
    """The acceleration of the step that is over, from the velocity that begins at ``first``."""
    cos, sin = math.cos(player.yaw), math.sin(player.yaw)
    east = (velocities[first] - player.velocity[0]) / STEP_SECONDS
    north = (velocities[first + 1] - player.velocity[1]) / STEP_SECONDS
    player.acceleration[0], player.acceleration[1] = cos * east + sin * north, cos * north - sin * east
    player.acceleration[2] = (velocities[first + 2] - player.velocity[2]) / STEP_SECONDS
    for axis in range(3):
        player.velocity[axis] = velocities[first + axis]


@njit
def _feel_hand(player, positions, first):
    """What the beam holds, how far away, and with which force."""
    k, force = player.held, player.force
    player.holding, player.hand_distance, player.hand_force = k >= 0, 0.0, 0.0
    if k < 0:
        force[0] = force[1] = force[2] = 0.0
        return
    x = positions[OBJECT_POSITIONS * k] - positions[first]
    y = positions[OBJECT_POSITIONS * k + 1] - positions[first + 1]
    z = positions[OBJECT_POSITIONS * k + 2] - positions[first + 2] - EYE_ABOVE_CENTRE
    player.hand_distance = math.sqrt(x * x + y * y + z * z)
    player.hand_force = math.sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2])

"""Where a walking player steps up: the edge of a slab, say, but never the ground, nor what a beam holds."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.lengths import length
from procgen_bench.envs.xland.body_arrays import cast_ray, first_position
from procgen_bench.envs.xland.contacts import FLOOR_NORMAL
from procgen_bench.envs.xland.players import STEP_HEIGHT, STEP_REACH
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS

#: Height above its feet at which it feels for one, and depth of the foothold that it looks for behind the edge.
ANKLE_HEIGHT, FOOTHOLD_DEPTH = 0.05, 0.05


@njit
def foothold(bodies, players, player, east, north):
    """Height (metres) of what a player steps upon when it walks to the ``east`` and ``north``; -inf: there is no step.

    Something stands before its ankles that is too steep to walk on, lower than its step, and with a floor on top: an
    object that nobody of ``players`` (PLAYER (P,)) holds. What is held would rise with the player on it.
    """
    speed = length(east, north, 0.0)
    first = first_position(bodies.objects.shape[0] + player, bodies.objects.shape[0])
    ahead, place = np.array([east / speed, north / speed, 0.0]), bodies.positions[first : first + 3].copy()
    feet = place[2] - PLAYER_HEIGHT / 2
    place[2] = feet + ANKLE_HEIGHT
    distance, body, up = cast_ray(bodies, place, ahead, player)
    if distance > PLAYER_RADIUS + STEP_REACH or up >= FLOOR_NORMAL or not _is_step(bodies, players, body):
        return -math.inf
    place[2] = feet + STEP_HEIGHT
    beyond = distance + FOOTHOLD_DEPTH
    clear, body, up = cast_ray(bodies, place, ahead, player)
    if clear < beyond and not _is_step(bodies, players, body):
        return -math.inf
    if clear < beyond:  # a slope that begins above an overhanging edge, or a wall
        return place[2] if up >= FLOOR_NORMAL else -math.inf
    top = place[2]
    for axis in range(3):
        place[axis] += beyond * ahead[axis]
    depth, body, up = cast_ray(bodies, place, np.array([0.0, 0.0, -1.0]), player)
    if depth > STEP_HEIGHT - ANKLE_HEIGHT or up < FLOOR_NORMAL or not _is_step(bodies, players, body):
        return -math.inf
    return top - depth


@njit
def _is_step(bodies, players, body):
    """Whether a body is an object that no beam holds."""
    for p in range(players.shape[0]):
        if players[p].held == body:
            return False
    return 0 <= body < bodies.objects.shape[0]

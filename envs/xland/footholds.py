"""Where a walking player steps up: the edge of a slab, say, but never a level of the ground."""

import math

import numpy as np

from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.contacts import FLOOR_NORMAL
from procgen_bench.envs.xland.players import STEP_HEIGHT, STEP_REACH
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS

#: Height above its feet at which it feels for one, and depth of the foothold that it looks for behind the edge.
ANKLE_HEIGHT, FOOTHOLD_DEPTH = 0.05, 0.05
_DOWN = np.array([0.0, 0.0, -1.0])


def foothold(bodies: Bodies, player: int, east: float, north: float) -> float:
    """Height (metres) of what a player steps upon when it walks to the ``east`` and ``north``; -inf: there is no step.

    Something stands before its ankles that is too steep to walk on, lower than its step, and with a floor on top.
    """
    length = math.hypot(east, north)
    direction = np.array([east / length, north / length, 0.0])
    place = bodies.player_places[player].copy()
    feet = place[2] - PLAYER_HEIGHT / 2
    place[2] = feet + ANKLE_HEIGHT
    distance, _, up = bodies.ray(place, direction, player)
    if distance > PLAYER_RADIUS + STEP_REACH or up >= FLOOR_NORMAL:
        return -math.inf
    place[2] = feet + STEP_HEIGHT
    beyond = distance + FOOTHOLD_DEPTH
    clear, _, up = bodies.ray(place, direction, player)
    if clear < beyond:  # a slope that begins above an overhanging edge, or a wall
        return place[2] if up >= FLOOR_NORMAL else -math.inf
    depth, _, up = bodies.ray(place + beyond * direction, _DOWN, player)
    if depth > STEP_HEIGHT - ANKLE_HEIGHT or up < FLOOR_NORMAL:
        return -math.inf
    return place[2] - depth

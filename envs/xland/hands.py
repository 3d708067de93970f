"""What players do with their hands and feet before a step: beams take what they meet, gadgets are used, feet feel."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.lengths import length
from procgen_bench.envs.xland.beam import BEAM_RANGE, EYE_ABOVE_CENTRE, GREATEST_DISTANCE, LEAST_DISTANCE
from procgen_bench.envs.xland.body_arrays import cast_ray, first_position
from procgen_bench.envs.xland.footholds import foothold
from procgen_bench.envs.xland.gadgets import COOLDOWN_STEPS, use
from procgen_bench.envs.xland.players import wanted_velocity


@njit
def use_hands(bodies, effects, players, gadgets):
    """Beams take what they meet, gadgets are used; all players aim before any gadget takes effect.

    Args:
        bodies: ``BodyArrays``, changed.
        effects: ``EffectArrays``, changed.
        players: PLAYER (P,), changed.
        gadgets: int8 (P,), places in ``GADGETS``.
    """
    aimed_at = np.full(players.shape[0], -1)
    for p in range(players.shape[0]):
        player = players[p]
        if not (player.takes or player.uses):
            continue
        eye = _eye(bodies, p)
        distance, body = cast_ray(bodies, eye, player.axis, p)[:2]
        if player.takes and 0 <= body < bodies.objects.shape[0] and distance <= BEAM_RANGE:
            _take(bodies, player, eye, body)
        if player.uses:
            player.cooldown = COOLDOWN_STEPS
            aimed_at[p] = body
    for p in range(players.shape[0]):
        body = aimed_at[p]
        if body >= 0 and effects.gone[body] == 0 and use(bodies, effects, gadgets[p], body):
            _let_go_of_what_is_gone(effects, players)


@njit
def find_footholds(bodies, players):
    """Players (PLAYER (P,), changed) that walk look where they step up."""
    for p in range(players.shape[0]):
        player = players[p]
        if player.feels and player.there:
            east, north = wanted_velocity(player)
            player.step_top = foothold(bodies, players, p, east, north)


@njit
def _eye(bodies, p):
    """Where a player's eye is: float64 (3,)."""
    first = first_position(bodies.objects.shape[0] + p, bodies.objects.shape[0])
    eye = bodies.positions[first : first + 3].copy()
    eye[2] += EYE_ABOVE_CENTRE
    return eye


@njit
def _take(bodies, player, eye, k):
    first = first_position(k, bodies.objects.shape[0])
    x, y, z = bodies.positions[first : first + 3] - eye
    player.held = k
    player.distance = min(max(length(x, y, z), LEAST_DISTANCE), GREATEST_DISTANCE)


@njit
def _let_go_of_what_is_gone(effects, players):
    num_objects = effects.gone.shape[0] - players.shape[0]
    for p in range(players.shape[0]):
        player = players[p]
        player.there = effects.gone[num_objects + p] == 0
        if not player.there or (player.held >= 0 and effects.gone[player.held] > 0):
            player.held = -1

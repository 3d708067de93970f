"""At the end of a step: what an impact has driven into each other is moved apart.

The physics stops bodies by forces, which act only once they overlap: at 4 m/s by up to 4 cm in its 10 ms, and deeper
where an edge spins, or where the solver yields. Nobody sees what happens within a step; where it ends, bodies are moved
apart as far as it takes, both by half, without a change of their velocities.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.engine.mujoco_calls import DATA, MODEL, contacts_of, mj_fwd_position
from procgen_bench.envs.xland.body_arrays import first_position

#: Overlaps deeper than this (metres) are reduced to the second depth, at which the contact stays one.
DEEP_OVERLAP, LEFT_OVERLAP = 0.025, 0.015
#: Moving apart what overlaps may push it into something else: so often it is tried again.
_ROUNDS = 16


@njit
def separate(bodies, effects):
    """Find the contacts of the bodies where they are now, and move apart what overlaps deeply; what is held fast does
    not move.

    Args:
        bodies: ``BodyArrays``, changed.
        effects: ``EffectArrays``.
    """
    mj_fwd_position(bodies.addresses[MODEL], bodies.addresses[DATA])
    for _ in range(_ROUNDS):
        contacts = contacts_of(bodies.addresses)
        if _deepest(contacts) <= DEEP_OVERLAP:
            return
        _move_apart(contacts, bodies, effects)
        mj_fwd_position(bodies.addresses[MODEL], bodies.addresses[DATA])


@njit
def _deepest(contacts):
    """The deepest overlap (metres) of contacts."""
    depth = 0.0
    for contact in contacts:
        depth = max(depth, -contact.dist)
    return depth


@njit
def _move_apart(contacts, bodies, effects):
    """Move bodies apart that overlap deeply, one contact after the other."""
    num_bodies = bodies.geoms.shape[0]
    moves = np.zeros((num_bodies, 3))
    for contact in contacts:
        if contact.dist >= -DEEP_OVERLAP:
            continue
        first, second = bodies.body_of_geom[contact.geom[0]], bodies.body_of_geom[contact.geom[1]]
        first_moves = first >= 0 and effects.frozen[first] == 0 and effects.gone[first] == 0
        second_moves = second >= 0 and effects.frozen[second] == 0 and effects.gone[second] == 0
        if not (first_moves or second_moves):
            continue
        gap = contact.dist
        for axis in range(3):
            if first_moves:
                gap -= contact.frame[axis] * moves[first, axis]
            if second_moves:
                gap += contact.frame[axis] * moves[second, axis]
        away = max(-LEFT_OVERLAP - gap, 0.0) / (first_moves + second_moves)
        for axis in range(3):
            if first_moves:
                moves[first, axis] -= away * contact.frame[axis]
            if second_moves:
                moves[second, axis] += away * contact.frame[axis]
    for body in range(num_bodies):
        first = first_position(body, bodies.objects.shape[0])
        for axis in range(3):
            bodies.positions[first + axis] += moves[body, axis]

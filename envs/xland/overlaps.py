"""At the end of a step: what an impact has driven into each other is moved apart.

The physics stops bodies by forces, which act only once they overlap: at 4 m/s by up to 4 cm in its 10 ms, and deeper
where an edge spins, or where the solver yields. Nobody sees what happens within a step; where it ends, bodies are moved
apart as far as it takes, both by half, without a change of their velocities.
"""

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.gadgets import Effects
from procgen_bench.envs.xland.model import OBJECT_POSITIONS, PLAYER_SLIDES

#: Overlaps deeper than this (metres) are reduced to the second depth, at which the contact stays one.
DEEP_OVERLAP, LEFT_OVERLAP = 0.025, 0.015
#: Moving apart what overlaps may push it into something else: so often it is tried again.
_ROUNDS = 16


def separate(bodies: Bodies, effects: Effects) -> None:
    """Find the contacts of the bodies where they are now, and move apart what overlaps deeply; what is held fast does
    not move."""
    model, data = bodies.model, bodies.data
    mujoco.mj_fwdPosition(model, data)
    for _ in range(_ROUNDS):
        contact = data.contact
        if _deepest(contact.dist) <= DEEP_OVERLAP:
            return
        _move_apart(contact.geom, contact.dist, contact.frame, bodies.body_of_geom, effects.fast, bodies.positions)
        mujoco.mj_fwdPosition(model, data)


@njit
def _deepest(distances):
    """The deepest overlap of contacts at distances (float64 (n,), metres, negative where bodies overlap)."""
    depth = 0.0
    for contact in range(distances.shape[0]):
        depth = max(depth, -distances[contact])
    return depth


@njit
def _move_apart(geoms, distances, frames, body_of_geom, fast, positions):
    """Move bodies apart that overlap deeply, one contact after the other.

    Args:
        geoms, distances, frames: Of n contacts, as MuJoCo gives them: int32 (n, 2), float64 (n,), float64 (n, 9).
        body_of_geom: int64 (geoms,), see :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        fast: bool (K + P,), which bodies do not move.
        positions: float64 (7 K + 3 P,), changed.
    """
    moves = np.zeros((fast.shape[0], 3))
    for contact in range(distances.shape[0]):
        if distances[contact] >= -DEEP_OVERLAP:
            continue
        first, second = body_of_geom[geoms[contact, 0]], body_of_geom[geoms[contact, 1]]
        first_moves, second_moves = first >= 0 and not fast[first], second >= 0 and not fast[second]
        if not (first_moves or second_moves):
            continue
        gap = distances[contact]
        for axis in range(3):
            if first_moves:
                gap -= frames[contact, axis] * moves[first, axis]
            if second_moves:
                gap += frames[contact, axis] * moves[second, axis]
        away = max(-LEFT_OVERLAP - gap, 0.0) / (first_moves + second_moves)
        for axis in range(3):
            if first_moves:
                moves[first, axis] -= away * frames[contact, axis]
            if second_moves:
                moves[second, axis] += away * frames[contact, axis]
    num_objects = (positions.shape[0] - PLAYER_SLIDES * fast.shape[0]) // (OBJECT_POSITIONS - PLAYER_SLIDES)
    for body in range(fast.shape[0]):
        first = OBJECT_POSITIONS * min(body, num_objects) + PLAYER_SLIDES * max(body - num_objects, 0)
        for axis in range(3):
            positions[first + axis] += moves[body, axis]

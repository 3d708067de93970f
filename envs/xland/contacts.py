"""Which bodies touch which floors, from the contacts that the physics found."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.worlds.tiles import floor_height

#: A surface is a floor if its normal points upwards by at least the cosine of 60 degrees; else it is a wall.
FLOOR_NORMAL = 0.5
#: A contact at a tile's border is one with the tile within this distance (metres) whose floor is closest in height.
BORDER = 0.05
_NUDGES = np.array([(0.0, 0.0), (BORDER, 0.0), (-BORDER, 0.0), (0.0, BORDER), (0.0, -BORDER)])


@njit
def find_contacts(contacts, ground, body_of_geom, awake, touches):
    """Write which floors the bodies touch. What sleeps is not looked at by the physics: it touches what it did.

    Args:
        contacts: CONTACT (n,), see :mod:`procgen_bench.engine.mujoco_calls`.
        ground: Kinds, levels, floors and tile size of the world.
        body_of_geom: int64 (geoms,), see :class:`~procgen_bench.envs.xland.model.WorldModel`.
        awake: int32 (1 + K + P,), whether the bodies are awake, after the world.
        touches: bool (K + P, 6), see :class:`~procgen_bench.tasks.xland.predicates.states.States`.
    """
    kinds, levels, floors, tile_size = ground
    for body in range(touches.shape[0]):
        if awake[1 + body]:
            touches[body] = False
    for contact in contacts:
        first, second = body_of_geom[contact.geom[0]], body_of_geom[contact.geom[1]]
        if min(first, second) >= 0:
            continue  # between two bodies
        # The normal points from the first geom to the second.
        up = contact.frame[2] if first < 0 else -contact.frame[2]
        if up >= FLOOR_NORMAL:
            x, y, z = contact.pos[0], contact.pos[1], contact.pos[2]
            touches[max(first, second), _floor_at(kinds, levels, floors, tile_size, x, y, z)] = True


@njit
def _floor_at(kinds, levels, floors, tile_size, x, y, z):
    """Colour of the floor at a point (metres) of its surface."""
    least, found = np.inf, 0
    for nudge in range(_NUDGES.shape[0]):
        east = min(max((x + _NUDGES[nudge, 0]) / tile_size[0], 0.0), kinds.shape[1] - 1e-9)
        north = min(max((y + _NUDGES[nudge, 1]) / tile_size[1], 0.0), kinds.shape[0] - 1e-9)
        gap = abs(floor_height(kinds, levels, east, north) * tile_size[2] - z)
        if gap < least:
            least, found = gap, floors[int(north), int(east)]
        if least < BORDER:
            break
    return found

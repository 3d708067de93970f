"""Which tiles the players of a world can come to."""

import numpy as np

from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.topology import reached, walkable_sides
from procgen_bench.tasks.xland.worlds.world import World

#: Half levels that a player climbs on a slab which leans on a ledge: one level.
_CLIMB = 2


def reachable_tiles(world: World, players: slice = slice(None)) -> np.ndarray:
    """The tiles that some player (of all, or of ``players``) can come to from where it begins: bool (H, W).

    Players walk as in :mod:`procgen_bench.tasks.xland.worlds.topology`. In a world with a slab they also climb from a
    tile to a neighbour that is up to one level higher: they lean the slab on the ledge.
    """
    climb = _CLIMB if (world.object_shapes == SLAB).any() else 0
    ways = walkable_sides(world.kinds, world.levels, climb)
    found = np.zeros(world.shape, bool)
    for x, y in world.player_positions[players].tolist():
        found |= reached(ways, int(y), int(x), False)
    return found

"""Which tiles the players of a world can come to."""

import numpy as np

from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.tiles import OPPOSITE, STEPS
from procgen_bench.tasks.xland.worlds.topology import middle_height, reached, walkable_sides
from procgen_bench.tasks.xland.worlds.world import World

#: Half levels that a player climbs on a slab which leans on a ledge: one level.
_CLIMB = 2


def reachable_tiles(world: World) -> np.ndarray:
    """The tiles that some player can come to from where it begins: bool (H, W).

    Players walk as in :mod:`procgen_bench.tasks.xland.worlds.topology`. In a world with a slab they also climb from a
    tile to a neighbour that is up to one level higher: they lean the slab on the ledge.
    """
    ways = walkable_sides(world.kinds, world.levels)
    if (world.object_shapes == SLAB).any():
        ways |= _climbable_sides(world)
    found = np.zeros(world.shape, bool)
    for x, y in world.player_positions.tolist():
        found |= reached(ways, int(y), int(x), False)
    return found


def _climbable_sides(world: World) -> np.ndarray:
    """The sides of every tile over which lies at most one level more, bool (H, W, 4)."""
    climbable = np.zeros((*world.shape, len(STEPS)), bool)
    for row, column, side in np.ndindex(climbable.shape):
        other = row + int(STEPS[side, 0]), column + int(STEPS[side, 1])
        if 0 <= other[0] < world.shape[0] and 0 <= other[1] < world.shape[1]:
            here = middle_height(world.kinds[row, column], world.levels[row, column], side)
            there = middle_height(world.kinds[other], world.levels[other], OPPOSITE[side])
            climbable[row, column, side] = there - here <= _CLIMB
    return climbable

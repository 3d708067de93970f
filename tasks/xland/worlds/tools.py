"""Tools: which tiles a slab opens that leans on a ledge as a ramp."""

import math
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.tiles import STEPS, TileKind
from procgen_bench.tasks.xland.worlds.topology import largest_component, reached, walkable_sides

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.things import Things
    from procgen_bench.tasks.xland.worlds.world import World

#: Steepest lean that is walked up with ease: the sine of its angle.
STEEPEST = 0.75
#: Part of a slab (metres) that lies on the ledge on which it leans.
OVERLAP = 0.2
_FLAT = int(TileKind.FLAT)


def leans(length: float, rise: float) -> bool:
    """Whether a slab of a length is a ramp up a ledge of a height (metres)."""
    return rise <= STEEPEST * (length - OVERLAP)


def run(length: float, rise: float) -> float:
    """How far before the ledge a slab that leans on it stands; all in metres."""
    return math.sqrt((length - OVERLAP) ** 2 - rise**2)


def opened_by(things: "Things | World", kinds: np.ndarray, levels: np.ndarray, tile_size: np.ndarray) -> np.ndarray:
    """Tiles outside the playable area to which a slab among ``things`` leads: bool (H, W).

    The slab is leaned once, from a flat tile of the playable area, or two in a row where it is long, on a flat one a
    level higher; from there players walk on. Slabs lie in the playable area, as all things do in worlds that are drawn.

    Args:
        things: What lies there, e.g. a whole world.
        kinds, levels: The world's tiles, int8 (H, W).
        tile_size: float64 (3,), metres.
    """
    width, depth, height = tile_size.tolist()
    lengths = things.object_sizes[things.object_shapes == SLAB].tolist()
    runs = [run(length, height) for length in lengths if leans(length, height)]
    if not runs:
        return np.zeros(kinds.shape, np.bool_)
    fits = np.array([min(runs) <= (width if east else depth) for _, east in STEPS.tolist()])
    return _opened_by(np.array(kinds), np.array(levels), walkable_sides(kinds, levels), fits)


@njit
def _opened_by(kinds, levels, walkable, fits):
    """See :func:`opened_by`; ``fits``, bool (4,): whether one tile before a ledge is room enough, by its direction."""
    rows, columns = kinds.shape
    playable, opened = largest_component(walkable), np.zeros((rows, columns), np.bool_)
    for row in range(rows):
        for column in range(columns):
            if kinds[row, column] != _FLAT or playable[row, column] or opened[row, column]:
                continue
            for side in range(4):
                # The slab leads this way, from the tile before, or from the two before.
                is_ledge = True
                for away in range(1, 2 if fits[side] else 3):
                    before, beside = row - away * STEPS[side, 0], column - away * STEPS[side, 1]
                    is_ledge = (
                        is_ledge
                        and 0 <= before < rows
                        and 0 <= beside < columns
                        and playable[before, beside]
                        and kinds[before, beside] == _FLAT
                        and levels[before, beside] + 1 == levels[row, column]
                    )
                if is_ledge:
                    opened |= reached(walkable, row, column, False)
                    break
    return opened & ~playable

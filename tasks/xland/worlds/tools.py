"""Tools: which tiles a slab opens that leans on a ledge as a ramp."""

import math
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS, STEPS, TileKind
from procgen_bench.tasks.xland.worlds.topology import largest_component, reached, walkable_sides

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.things import Things
    from procgen_bench.tasks.xland.worlds.world import World

#: Steepest lean that is walked up with ease: the sine of its angle.
STEEPEST = 0.75
#: Part of a slab (metres) that lies on the ledge on which it leans.
OVERLAP = 0.2


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
    walkable, flat = walkable_sides(kinds, levels), kinds == TileKind.FLAT
    playable = largest_component(walkable)
    stands = np.pad(np.where(playable & flat, levels, NUM_LEVELS), 2, constant_values=NUM_LEVELS)
    ledges = np.zeros(kinds.shape, np.bool_)
    for north, east in STEPS.tolist():
        before, behind = (_shifted(stands, away * north, away * east) for away in (1, 2))
        is_ledge = before + 1 == levels
        ledges |= is_ledge if min(runs) <= (width if east else depth) else is_ledge & (before == behind)
    opened = np.zeros(kinds.shape, np.bool_)
    for row, column in np.argwhere(ledges & flat & ~playable).tolist():
        if not opened[row, column]:
            opened |= reached(walkable, row, column, False)
    return opened & ~playable


def _shifted(padded: np.ndarray, north: int, east: int) -> np.ndarray:
    """What lies so many tiles in the south and west of every tile; ``padded`` has two more on all sides."""
    rows, columns = padded.shape[0] - 4, padded.shape[1] - 4
    return padded[2 - north : rows + 2 - north, 2 - east : columns + 2 - east]

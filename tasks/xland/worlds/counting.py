"""How many worlds there are (section 3.1.1 and A.1.2): bounds on the number of topologies.

Counted are worlds with a region of at least half of the tiles in which every tile can be reached from every other and
that no path leads out of.

- At most ``14 ** (width * height)``: the paper tells 6 flat tiles, 4 orientations of ramps and 4 of diagonals apart.
- At least as many as there are levels of every other tile, in a grid of ``ceil(width / 2) * ceil(height / 2)``, that
  are strongly connected: a player climbs one level, by a ramp that is put between, and drops any number. The tiles
  between and the highest floors in the rest make a world of each. How likely random levels are strongly connected is
  found by sampling. An even width leaves a column over, next to the tiles of the others, and an even height a row; each
  of its tiles can take the height of the one next to it or the level above, whence a factor of 2 for each. (Above the
  top level there is none; but next to a lower one all levels from its own on are safe, so that there are more than two
  on average.) We leave out the corner where both are over.
"""

from dataclasses import dataclass
from math import log10

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS, STEPS
from procgen_bench.tasks.xland.worlds.topology import reached

#: Tiles that the upper bound tells apart: flat by level, ramps and diagonals by orientation.
NUM_TILES = NUM_LEVELS + 4 + 4


@dataclass(frozen=True)
class WorldCount:
    """Bounds on the number of worlds of one size.

    Attributes:
        samples, connected: Sampled levels of the grid of every other tile, and how many were strongly connected.
        lower, upper: The bounds: exact integers, but for the estimate ``connected / samples`` in the lower one.
        lower_unique: ``lower`` if worlds that are each other's rotation or reflection (8 of a square, 4 of other sizes)
            count as one.
    """

    samples: int
    connected: int
    lower: int
    upper: int
    lower_unique: int

    @property
    def log10_lower(self) -> float:
        """Decimal logarithm of the lower bound; minus infinity if no sample was connected."""
        return log10(self.lower) if self.lower else float("-inf")

    @property
    def log10_upper(self) -> float:
        """Decimal logarithm of the upper bound."""
        return log10(self.upper)


def count_worlds(width: int, height: int, samples: int = 200_000, *, rng: np.random.Generator) -> WorldCount:
    """Bounds on the number of worlds of ``width`` x ``height`` tiles (1 or more a side); see the module.

    Args:
        width: Tiles from west to east.
        height: Tiles from south to north.
        samples: Random grids for the lower bound.
        rng: The only source of randomness.

    Raises:
        InvalidTaskError: A number is below 1.
    """
    for name, value in (("width", width), ("height", height), ("samples", samples)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise InvalidTaskError(name, value, "an integer of at least 1")
    columns, rows = (width + 1) // 2, (height + 1) // 2
    stream = rng.integers(2**64, dtype=np.uint64)
    connected = int(count_connected(stream, rows, columns, samples))
    odd_width, odd_height = 2 * columns - 1, 2 * rows - 1
    left_over = (width - odd_width) * odd_height + (height - odd_height) * odd_width
    lower = NUM_LEVELS ** (columns * rows) * 2**left_over * connected // samples
    symmetries = 8 if width == height else 4
    return WorldCount(int(samples), connected, lower, NUM_TILES ** (int(width) * int(height)), lower // symmetries)


@njit
def count_connected(stream, rows, columns, samples):
    """Of ``samples`` grids of random levels, the number of those that are strongly connected."""
    levels, connected = np.empty((rows, columns), np.int64), 0
    for _ in range(samples):
        for row in range(rows):
            for column in range(columns):
                stream, levels[row, column] = draw_below(stream, NUM_LEVELS)
        connected += strongly_connected(levels)
    return connected


@njit
def strongly_connected(levels):
    """Whether a player comes from everywhere to everywhere on levels, int64 (H, W), if it climbs one and drops any."""
    rows, columns = levels.shape
    walkable = np.zeros((rows, columns, 4), np.bool_)
    for row in range(rows):
        for column in range(columns):
            for side in range(4):
                other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
                if 0 <= other_row < rows and 0 <= other_column < columns:
                    walkable[row, column, side] = levels[other_row, other_column] <= levels[row, column] + 1
    return reached(walkable, 0, 0, False).all() and reached(walkable, 0, 0, True).all()

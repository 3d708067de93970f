"""Tiles and floors of new worlds: Wave Function Collapse, reflections, the colours of floors (A.1.1)."""

from functools import lru_cache

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import FLOORS
from procgen_bench.tasks.xland.worlds.options import WorldOptions
from procgen_bench.tasks.xland.worlds.states import STATE_KINDS, STATE_LEVELS, STATES, cell_weights
from procgen_bench.tasks.xland.worlds.tiles import (
    EAST,
    MIRRORED_EAST_WEST,
    MIRRORED_NORTH_SOUTH,
    NORTH,
    NUM_LEVELS,
    STEPS,
)
from procgen_bench.tasks.xland.worlds.wave_function_collapse import collapse

#: Reflections of symmetric worlds: whether east and west are alike, and whether north and south are.
REFLECTIONS = ((True, False), (False, True), (True, True))


def draw_stream(rng: np.random.Generator) -> np.uint64:
    """First state of a random stream of :mod:`procgen_bench.core.streams`."""
    return rng.integers(2**64, dtype=np.uint64)


def draw_tiles(
    rng: np.random.Generator, columns: int, rows: int, options: WorldOptions
) -> tuple[np.ndarray, np.ndarray]:
    """Kinds and levels, int8 (rows, columns), of a new world, which is symmetric with the chance that the options say.

    A symmetric world is drawn as its half or quarter: where its own reflection follows, a ramp may end at the seam, as
    what it leads to is alike on both sides; the tiles of a middle column or row must be their own reflection.

    Raises:
        NoWorldError: No tiles were found that fit together.
    """
    symmetric = rng.random() < options.symmetry
    east_west, north_south = REFLECTIONS[rng.integers(len(REFLECTIONS))] if symmetric else (False, False)
    drawn_columns = (columns + 1) // 2 if east_west else columns
    drawn_rows = (rows + 1) // 2 if north_south else rows
    open_sides = {side for side, reflected in ((EAST, east_west), (NORTH, north_south)) if reflected}
    of_states = tuple(options.weights.of_states(options.max_level).tolist())
    weights = _new_cell_weights(of_states, drawn_rows, drawn_columns, frozenset(open_sides)).copy()
    if east_west and columns % 2:
        weights[:, -1] *= MIRRORED_EAST_WEST[STATE_KINDS] == STATE_KINDS
    if north_south and rows % 2:
        weights[-1] *= MIRRORED_NORTH_SOUTH[STATE_KINDS] == STATE_KINDS
    states = collapse(draw_stream(rng), weights, options.weights.coherence)
    kinds, levels = STATE_KINDS[states], STATE_LEVELS[states]
    if east_west:
        middle = columns // 2
        kinds = np.hstack([kinds, MIRRORED_EAST_WEST[kinds[:, :middle][:, ::-1]]])
        levels = np.hstack([levels, levels[:, :middle][:, ::-1]])
    if north_south:
        middle = rows // 2
        kinds = np.vstack([kinds, MIRRORED_NORTH_SOUTH[kinds[:middle][::-1]]])
        levels = np.vstack([levels, levels[:middle][::-1]])
    return kinds, levels


@lru_cache(512)  # of a few kilobytes each: the sizes of worlds and of their halves
def _new_cell_weights(of_states: tuple[float, ...], rows: int, columns: int, open_sides: frozenset[int]) -> np.ndarray:
    return cell_weights(np.array(of_states), rows, columns, open_sides)


def redraw_tiles(
    rng: np.random.Generator, kinds: np.ndarray, levels: np.ndarray, strength: float, options: WorldOptions
) -> tuple[np.ndarray, np.ndarray]:
    """Kinds and levels like the given ``kinds`` and ``levels``, int8 (H, W) all, and at ``strength`` 0 (of 0 to 1)
    those.

    Every cell begins with the mixture of a delta function at its old tile, with the weight ``1 - strength``, and of the
    distribution of new worlds, with the weight ``strength``.

    Raises:
        NoWorldError: No tiles were found that fit together.
    """
    fresh = cell_weights(options.weights.of_states(options.max_level), *kinds.shape)
    totals = np.add.accumulate(fresh, axis=-1)[:, :, -1:]  # in order; the order of a sum may depend on the processor
    weights = fresh * (strength / totals)
    rows, columns = np.indices(kinds.shape)
    weights[rows, columns, STATES[kinds, levels]] += 1.0 - strength
    states = collapse(draw_stream(rng), weights, options.weights.coherence)
    return STATE_KINDS[states], STATE_LEVELS[states]


def draw_floors(rng: np.random.Generator, levels: np.ndarray, by: str) -> np.ndarray:
    """Colours of floors, int8 (H, W): one for each level, all different, or one for each region."""
    if by == "level":
        return rng.permutation(len(FLOORS)).astype(np.int8)[:NUM_LEVELS][levels]
    regions = label_regions(levels)
    return rng.integers(len(FLOORS), size=int(regions.max()) + 1).astype(np.int8)[regions]


def follow_floors(
    rng: np.random.Generator, floors: np.ndarray, old_levels: np.ndarray, levels: np.ndarray
) -> np.ndarray:
    """Colours for new ``levels`` in the manner of a world's old ``floors`` and ``old_levels`` (all int8 (H, W)).

    A tile whose level changed takes the colour that most floors of its new level have, and levels that are new a random
    one; so floors by level stay so.
    """
    followed = floors.copy()
    for level in np.unique(levels[levels != old_levels]).tolist():
        counts = np.bincount(floors[old_levels == level], minlength=len(FLOORS))
        colour = counts.argmax() if counts.any() else rng.integers(len(FLOORS))
        followed[(levels == level) & (levels != old_levels)] = colour
    return followed


def expose_floors(
    rng: np.random.Generator, floors: np.ndarray, levels: np.ndarray, exposed: np.ndarray, needed: list[int]
) -> np.ndarray:
    """``floors``, int8 (H, W), changed so that the tiles that are ``exposed`` (bool (H, W)) have every colour that is
    needed.

    A missing colour is given to a level, to a region, or to a single tile: to the first of these that hides no other
    needed colour.

    Raises:
        InvalidTaskError: Fewer tiles are exposed than colours are needed.
    """
    if exposed.sum() < len(needed):
        raise InvalidTaskError(
            "tiles of the playable area", int(exposed.sum()), f"one for each of {len(needed)} floors"
        )
    shown = set(floors[exposed].tolist())
    if shown.issuperset(needed):
        return floors
    partitions = (levels.astype(np.int64), label_regions(levels), np.arange(levels.size).reshape(levels.shape))
    for colour in needed:
        shown = set(floors[exposed].tolist())
        if colour not in shown:
            floors = _recolour(rng, floors, exposed, colour, shown.intersection(needed), partitions)
    return floors


def _recolour(
    rng: np.random.Generator,
    floors: np.ndarray,
    exposed: np.ndarray,
    colour: int,
    keep: set[int],
    partitions: tuple[np.ndarray, ...],
) -> np.ndarray:
    """Give a random part of the coarsest partition that allows it the colour, so that those to keep stay exposed."""
    for labels in partitions:
        recoloured = [np.where(labels == label, np.int8(colour), floors) for label in np.unique(labels[exposed])]
        allowed = [after for after in recoloured if keep.issubset(after[exposed].tolist())]
        if allowed:
            return allowed[rng.integers(len(allowed))]
    raise AssertionError("more tiles are exposed than colours kept, so one of them can change")


@njit
def label_regions(levels):
    """Number the regions, tiles of one level that are joined by their sides: int64 (H, W) from 0 on."""
    rows, columns = levels.shape
    labels = np.full((rows, columns), -1)
    stack = np.empty(rows * columns, np.int64)
    regions = 0
    for start in range(rows * columns):
        if labels[start // columns, start % columns] >= 0:
            continue
        labels[start // columns, start % columns] = regions
        stack[0], count = start, 1
        while count > 0:
            count -= 1
            row, column = stack[count] // columns, stack[count] % columns
            for side in range(4):
                other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
                if not (0 <= other_row < rows and 0 <= other_column < columns):
                    continue
                if labels[other_row, other_column] < 0 and levels[other_row, other_column] == levels[row, column]:
                    labels[other_row, other_column] = regions
                    stack[count] = other_row * columns + other_column
                    count += 1
        regions += 1
    return labels

"""Which part reads which leaf of an observation space."""

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.networks.parts import (
    Categories,
    CategoryGrid,
    NormalisedReals,
    Part,
    Picture,
    ScaledReals,
    Tokens,
)

#: More values than these are words, not categories.
_MOST_CATEGORIES = 16
#: Pictures are at least so high and wide.
_LEAST_PICTURE = 32
#: Maps of more cells are read by convolutions; on smaller ones a dense layer is as good and faster.
_MOST_DENSE_CELLS = 100


def part_for(leaf: spaces.Box) -> Part:
    """The part for one leaf.

    - uint8 with three axes, at least 32 high and wide: :class:`Picture`.
    - Infinite bounds: :class:`NormalisedReals`.
    - Integer bounds of three to 16 values, or two or three axes of two values: :class:`CategoryGrid` where there are
      more than 100 cells, :class:`Categories` otherwise.
    - Integers of more than 16 values: :class:`Tokens`.
    - All else: :class:`ScaledReals`.
    """
    if leaf.dtype == np.uint8 and len(leaf.shape) == 3 and min(leaf.shape[:2]) >= _LEAST_PICTURE:
        return Picture(leaf)
    if not (np.isfinite(leaf.low).all() and np.isfinite(leaf.high).all()):
        return NormalisedReals(leaf)
    if _are_categories(leaf):
        is_map = len(leaf.shape) > 1 and np.prod(leaf.shape[:2]) > _MOST_DENSE_CELLS
        return CategoryGrid(leaf) if is_map else Categories(leaf)
    if leaf.dtype.kind in "iu" and leaf.high.max() - leaf.low.min() >= _MOST_CATEGORIES:
        return Tokens(leaf)
    return ScaledReals(leaf)


def _are_categories(leaf: spaces.Box) -> bool:
    """Coordinates on a small map are such too: read as reals, GridWorld's doors were walked into."""
    bounds = np.stack([leaf.low, leaf.high]).astype(np.float64)
    fewest = 1 if len(leaf.shape) > 1 else 2  # a row of zeros and ones is what it is
    between = fewest <= bounds.max() - bounds.min() < _MOST_CATEGORIES
    return bool(between and len(leaf.shape) <= 3 and (bounds == np.round(bounds)).all())

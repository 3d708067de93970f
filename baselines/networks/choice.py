"""Which part reads which leaf of an observation space."""

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.networks.parts import (
    MOST_CATEGORIES,
    Categories,
    NormalisedReals,
    Part,
    Picture,
    ScaledReals,
    Tokens,
    are_categories,
)

#: Pictures are at least so high and wide.
_LEAST_PICTURE = 32


def part_for(leaf: spaces.Box) -> Part:
    """The part for one leaf.

    - uint8 with three axes, at least 32 high and wide: :class:`Picture`.
    - Infinite bounds: :class:`NormalisedReals`.
    - Integer bounds of three to 16 values, or two or three axes of two values: :class:`Categories`.
    - Integers of more than 16 values: :class:`Tokens`.
    - All else: :class:`ScaledReals`.
    """
    if leaf.dtype == np.uint8 and len(leaf.shape) == 3 and min(leaf.shape[:2]) >= _LEAST_PICTURE:
        return Picture(leaf)
    if not (np.isfinite(leaf.low).all() and np.isfinite(leaf.high).all()):
        return NormalisedReals(leaf)
    if are_categories(leaf):
        return Categories(leaf)
    if leaf.dtype.kind in "iu" and leaf.high.max() - leaf.low.min() >= MOST_CATEGORIES:
        return Tokens(leaf)
    return ScaledReals(leaf)

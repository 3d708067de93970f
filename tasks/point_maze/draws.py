"""Compiled uniform draws of coordinates from the row streams."""

import numpy as np
from numba import njit

_SHIFT, _UNIT = np.uint64(11), 2.0**-53


@njit(inline="always")
def uniform(bits, low, high):
    """Map 64 random bits (uint64) to a float64 in [low, high), in steps of 2**-53 of the span."""
    return low + (high - low) * (np.float64(bits >> _SHIFT) * _UNIT)

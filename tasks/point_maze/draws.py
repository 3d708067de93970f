"""Compiled draws of coordinates from the row streams."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import advance, output

_SHIFT, _UNIT = np.uint64(11), 2.0**-53


@njit(inline="always")
def uniform(bits, low, high):
    """Map 64 random bits (uint64) to a float64 in [low, high), in steps of 2**-53 of the span."""
    return low + (high - low) * (np.float64(bits >> _SHIFT) * _UNIT)


@njit(inline="always")
def normal_pair(bits, more_bits):
    """Map twice 64 random bits to two independent standard normal numbers (Box and Muller, 1958)."""
    radius = math.sqrt(-2 * math.log(1 - uniform(bits, 0.0, 1.0)))
    angle = uniform(more_bits, 0.0, math.tau)
    return radius * math.cos(angle), radius * math.sin(angle)


@njit(inline="always")
def draw_uniform(stream, low, high):
    """The stream after one draw, and a float64 in [low, high)."""
    stream = advance(stream)
    return stream, uniform(output(stream), low, high)

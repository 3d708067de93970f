"""Lengths of vectors in compiled code, to the bit as Python's :mod:`math` gives them."""

import math

from procgen_bench.core.compiled import njit

#: Splits a number of 53 binary places into two of 26.
_SPLIT = 134_217_729.0


@njit
def length(x, y, z):
    """The length of a vector (neither zero, huge nor tiny), rounded once, as ``math.hypot`` and ``math.dist`` do."""
    total, lost = 0.0, 0.0
    for number in (x, y, z):
        square = number * number
        high = number * _SPLIT - (number * _SPLIT - number)
        low = number - high
        lost += ((high * high - square) + 2.0 * high * low) + low * low
        before, total = total, total + square
        lost += square - (total - before) if before >= square else before - (total - square)
    root = math.sqrt(total + lost)
    square = root * root
    high = root * _SPLIT - (root * _SPLIT - root)
    low = root - high
    over = ((high * high - square) + 2.0 * high * low) + low * low
    return root + ((total - square) - over + lost) / (2.0 * root)

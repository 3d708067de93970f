"""Compiled copying of an array into another one.

Numba's own ``target[...] = source`` also compiles, for seconds, the words of the error that tells of other shapes.
"""

from procgen_bench.core.compiled import njit


@njit
def copy(source, target):
    """Write ``source`` into ``target``, which has the same shape (not checked); fast where both are contiguous."""
    for k in range(source.size):
        target.flat[k] = source.flat[k]

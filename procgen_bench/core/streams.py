"""Compiled drawing from the row streams of :mod:`procgen_bench.core.seeding` (importing this loads Numba)."""

import numpy as np

from procgen_bench.core.compiled import njit

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_LOW_32_BITS = np.uint64(0xFFFFFFFF)


@njit(inline="always")
def advance(state):
    """The state after one draw (uint64 -> uint64)."""
    return state + _INCREMENT


@njit(inline="always")
def output(state):
    """The 64 random bits of a state (uint64 -> uint64); splitmix64's mixing function."""
    bits = (state ^ (state >> np.uint64(30))) * _MULTIPLIER_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MULTIPLIER_2
    return bits ^ (bits >> np.uint64(31))


@njit(inline="always")
def below(bits, bound):
    """Map 32 random bits (uint64 below 2**32) to an integer in [0, bound), bound at most 2**16 (bias under 2**-16)."""
    return np.int64((bits * np.uint64(bound)) >> np.uint64(32))


@njit(inline="always")
def draw_below(state, bound):
    """The state after one draw, and the integer in [0, bound) that its low 32 bits map to (bound at most 2**16)."""
    state = advance(state)
    return state, below(output(state) & _LOW_32_BITS, bound)

"""Scores: exact means, and which differences between scores are none.

Rewards are decimal fractions like -0.001, which floating point rounds, and so is every sum of them: a perfect policy's
return can come out as 0.9820000000000001 where 0.982 is the best possible. Means are therefore computed as fractions
and rounded once, and what floating point can have left is no difference.
"""

import statistics
from collections.abc import Sequence

import numpy as np

from procgen_bench.core.benchmark import Benchmark

#: Share of a benchmark's range that floating point may be off. Adding 900 rewards is off by 1e-13 of their range at
#: most; the least that scores can differ by, one step's reward in one of 64 runs of 11,746 tasks, is 1e-9 of it.
ROUNDING = 1e-11


def exact_mean(values: Sequence[float] | np.ndarray) -> float:
    """The mean as a fraction, rounded once: the same in every order, and that of equal values is their value."""
    numbers = values.tolist() if isinstance(values, np.ndarray) else [float(value) for value in values]
    if len(numbers) == 1:  # most tasks are played once, and fractions take a hundred times as long
        return numbers[0] + 0  # without the sign of a zero, as of a fraction
    return statistics.mean(numbers)


def least_difference(benchmark: Benchmark) -> float:
    """The difference up to which two scores are one: the benchmark's tolerance, and what rounding can make of it."""
    return benchmark.tolerance + ROUNDING * (benchmark.maximum - benchmark.minimum)


def without_rounding(scores: np.ndarray, benchmark: Benchmark) -> np.ndarray:
    """Scores of which those that rounding has carried beyond the benchmark's range are back at its end.

    Those that lie beyond it by more than rounding stay as they are: a single task's score may exceed ``maximum``, the
    best possible mean, where not every task can be solved.
    """
    margin = ROUNDING * (benchmark.maximum - benchmark.minimum)
    for end in (benchmark.minimum, benchmark.maximum):
        scores = np.where(np.abs(scores - end) <= margin, end, scores)
    return scores

"""Intervals by resampling whole runs: what varies is the training run, and a run's tasks stay together.

Of few runs, the ordinary (percentile) bootstrap gives intervals that are too narrow, for two reasons (Hesterberg, 2015,
"What Teachers Should Know About the Bootstrap"): it divides by the number of runs where the variance of a sample
divides by one less, and it takes the spread of the runs that were seen for the true one, where Student's distribution
allows for not knowing it. Each side of the percentile interval is therefore widened by what the two come to,
sqrt(n / (n - 1)) t / z: 1.58 for 5 runs, 1.22 for 10, 1.06 for 30. Of a mean the result is Student's interval where the
bootstrap is symmetric, and as skewed as the bootstrap where it is not. ``coverage`` measures what that is worth.

rliable resamples every task's runs on their own, so that a method's good and bad runs cancel out over the tasks: of ten
runs that score 0.00 to 0.99 it knows the mean to within 0.02. Its intervals are not these; its point estimates are.
"""

import math
from functools import cache
from statistics import NormalDist

import numpy as np

RESAMPLES = 2_000
#: Of fewer runs no interval is drawn: four runs do not show what is unlikely in five.
FEWEST_RUNS = 5
_COVERAGE = 0.95
_TAILS = ((1 - _COVERAGE) / 2, (1 + _COVERAGE) / 2)


def drawn_counts(num_runs: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of so many runs is drawn in each resample of as many runs, float64 (resamples, runs)."""
    drawn = rng.integers(num_runs, size=(resamples, num_runs))
    cells = drawn + np.arange(resamples)[:, None] * num_runs
    return np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def interval_ends(
    values: np.ndarray,
    resampled: np.ndarray,
    num_runs: int,
    minimum: float | np.ndarray = -math.inf,
    maximum: float | np.ndarray = math.inf,
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of 95 % intervals.

    Args:
        values: The estimates, float64 (...).
        resampled: The same of the resamples, float64 (resamples, ...).
        num_runs: Number of runs that were resampled, at least 2; where several samples were, of the smallest.
        minimum, maximum: Range of what is estimated; no interval leads beyond it, unless the estimate does.
    """
    low, high = np.quantile(resampled, _TAILS, axis=0)
    factor = widening(num_runs)
    return (
        np.maximum(values - factor * np.maximum(values - low, 0), np.minimum(values, minimum)),
        np.minimum(values + factor * np.maximum(high - values, 0), np.maximum(values, maximum)),
    )


def widening(num_runs: int) -> float:
    """How much wider than the percentile bootstrap's an interval of so many runs (at least 2) must be."""
    student = student_bound(num_runs - 1) / NormalDist().inv_cdf(_TAILS[1])
    return math.sqrt(num_runs / (num_runs - 1)) * student


@cache
def student_bound(freedom: int) -> float:
    """What 95 % of Student's distribution of so many degrees of freedom are within, on either side of 0."""
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:  # until the two are neighbouring numbers
        low, high = (middle, high) if _student_within(middle, freedom) < _COVERAGE else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _student_within(angle: float, freedom: int) -> float:
    """The share of Student's distribution within sqrt(freedom) tan(angle) of 0 (Abramowitz and Stegun, 26.7)."""
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for power in range(2 + odd, freedom + 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (power - 1) / power
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total

"""Performance profiles (Agarwal et al., 2021): how much of what a method does is better than a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS, RESAMPLES, drawn_counts, interval_ends


@dataclass(frozen=True, eq=False)
class Profile:
    """A method's performance profile, with pointwise 95 % intervals over runs.

    Attributes:
        thresholds: float64 (K,), ascending.
        values: float64 (K,), the share above each threshold, falling.
        low, high: float64 (K,); ``None`` where a benchmark has fewer than five runs.
    """

    thresholds: np.ndarray
    values: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def normalised_runs(scores: np.ndarray, start: float, maximum: float) -> np.ndarray:
    """What each run scores on a benchmark, from 0 (``start``, the best floor) to 1 (the best possible): (runs, 1).

    Means over tasks, float64, since a benchmark's best possible score is one: a single task's can be better, where not
    all tasks can be solved. Below 0 are runs that are worse than the floor.
    """
    return (scores.mean(axis=1, keepdims=True) - start) / (maximum - start)


def performance_profile(
    matrices: Sequence[np.ndarray], thresholds: np.ndarray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Profile:
    """The share of runs and tasks that score above each threshold; of several benchmarks, the mean of their shares.

    Every benchmark counts alike, however many tasks and runs it has. In the resamples, its runs are drawn from its own.

    Args:
        matrices: A method's scores on one or more benchmarks, float64 (runs, tasks) each. To compare methods across
            benchmarks: :func:`normalised_runs` of the same benchmarks for every method.
        thresholds: float64 (K,), ascending.
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.
    """
    above = [(scores[:, :, None] > thresholds).mean(axis=1) for scores in matrices]  # (runs, K) each
    values = np.mean([shares.mean(axis=0) for shares in above], axis=0)
    smallest = min(map(len, above))
    if smallest < FEWEST_RUNS:
        return Profile(thresholds, values)
    resampled = np.mean([drawn_counts(len(shares), resamples, rng) @ shares / len(shares) for shares in above], axis=0)
    return Profile(thresholds, values, *interval_ends(values, resampled, smallest, 0.0, 1.0))

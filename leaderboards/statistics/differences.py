"""Differences between two methods that played the same tasks: may chance alone account for what they score?"""

import numpy as np

from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.statistics.resampling import RESAMPLES, drawn_counts, interval_ends


def difference(
    scores: np.ndarray, others: np.ndarray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Estimate:
    """By how much one method scores higher than another: the mean over tasks of their differences task by task.

    Tasks are paired, so a task that is hard for both widens nothing. Runs are not: the whole runs of each method are
    resampled on their own, and the interval is widened as that of the smaller sample (:mod:`.resampling`). It is drawn
    from two runs on; where the runs of both methods are all alike, both ends are the difference itself.

    Args:
        scores: float64 (runs, tasks) of the first method.
        others: float64 (other runs, tasks) of the second, in the same order of tasks.
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.

    Raises:
        ValueError: A method has a single run, or they did not play the same tasks.
    """
    if min(len(scores), len(others)) < 2 or scores.shape[1:] != others.shape[1:]:
        raise ValueError(
            f"scores are {scores.shape} and {others.shape}, expected (runs, tasks) of the same tasks, two runs at least"
        )
    value = exact_mean(scores.ravel()) - exact_mean(others.ravel())  # the same tasks: the mean of their differences
    drawn, other_drawn = (
        drawn_counts(len(runs), resamples, rng) @ runs.mean(axis=1) / len(runs) for runs in (scores, others)
    )
    low, high = interval_ends(np.array(value), drawn - other_drawn, min(len(scores), len(others)))
    return Estimate(value, float(low), float(high))


def holds_zero(difference: Estimate, tolerance: float) -> bool:
    """Whether an interval holds zero, or comes within ``tolerance`` of it."""
    assert difference.interval is not None  # differences have one
    low, high = difference.interval
    return low <= tolerance and high >= -tolerance

"""Statistics of leaderboards (Agarwal et al., 2021): pure functions of runs x tasks matrices of scores.

The point estimates take scores of shape (..., runs, tasks) and aggregate the last two axes, so that thousands of
resamples are aggregated at once. Intervals are 95 % percentile intervals of a bootstrap over runs, stratified by task.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

RESAMPLES = 2_000
#: Percentiles between which 95 % lie.
_TAILS = (2.5, 97.5)
#: Most resamples that are aggregated at a time, and most scores in them: more leave the processor's cache.
_BATCH, _MOST_SCORES = 200, 1_000_000


@dataclass(frozen=True)
class Estimate:
    """A point estimate and its 95 % interval; ``low`` and ``high`` are ``None`` where a single run gives none."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Summary:
    """The statistics of one method on one benchmark."""

    mean: Estimate
    interquartile_mean: Estimate
    median: Estimate
    optimality_gap: Estimate


def mean(scores: np.ndarray) -> np.ndarray:
    """Mean over runs and tasks."""
    return scores.mean(axis=(-2, -1))


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """Mean of the middle half of all scores."""
    pooled = scores.reshape(*scores.shape[:-2], -1)
    return stats.trim_mean(pooled, 0.25, axis=-1)


def median(scores: np.ndarray) -> np.ndarray:
    """Median over tasks of the mean over runs."""
    return np.median(scores.mean(axis=-2), axis=-1)


def optimality_gap(scores: np.ndarray, maximum: float) -> np.ndarray:
    """How much of the best possible score is missing: 1 - mean / maximum.

    Args:
        scores: (..., runs, tasks); replayed scores, whose mean cannot exceed the maximum but by rounding.
        maximum: Best possible mean over tasks, greater than 0.
    """
    return np.maximum(1 - mean(scores) / maximum, 0)


def probability_of_improvement(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Probability that a run of the first method beats one of the second on a task, ties counting half, over tasks.

    Args:
        scores: (..., runs, tasks) of the first method.
        others: (..., other runs, tasks) of the second, in the same order of tasks.
    """
    left, right = scores[..., :, None, :], others[..., None, :, :]
    return (np.greater(left, right) + 0.5 * np.equal(left, right)).mean(axis=(-3, -2, -1))


def summarise(scores: np.ndarray, maximum: float, rng: np.random.Generator, resamples: int = RESAMPLES) -> Summary:
    """All statistics of one method.

    Args:
        scores: float64 (runs, tasks).
        maximum: Best possible mean over tasks, greater than 0.
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.
    """

    def statistics(matrices: np.ndarray) -> np.ndarray:
        return np.stack(
            [mean(matrices), interquartile_mean(matrices), median(matrices), optimality_gap(matrices, maximum)]
        )

    values = statistics(scores)
    if len(scores) == 1:
        return Summary(*(Estimate(float(value)) for value in values))

    low, high = _interval((scores,), statistics, rng, resamples)
    return Summary(*(Estimate(float(value), float(a), float(b)) for value, a, b in zip(values, low, high)))


def mean_over_runs(values: np.ndarray, rng: np.random.Generator, resamples: int = RESAMPLES) -> Estimate:
    """The mean of one value per run.

    Args:
        values: float64 (runs,).
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.
    """
    value = float(values.mean())
    if len(values) == 1:
        return Estimate(value)
    low, high = _interval((values[:, None],), mean, rng, resamples)
    return Estimate(value, float(low), float(high))


def compare(scores: np.ndarray, others: np.ndarray, rng: np.random.Generator, resamples: int = RESAMPLES) -> Estimate:
    """The probability of improvement of one method over another.

    Args:
        scores: float64 (runs, tasks) of the first method.
        others: float64 (other runs, tasks) of the second.
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.
    """
    value = float(probability_of_improvement(scores, others))
    if min(len(scores), len(others)) == 1:
        return Estimate(value)
    low, high = _interval((scores, others), probability_of_improvement, rng, resamples)
    return Estimate(value, float(low), float(high))


def _interval(
    matrices: tuple[np.ndarray, ...], statistic: Callable[..., np.ndarray], rng: np.random.Generator, resamples: int
) -> np.ndarray:
    """Bootstrap interval, (2, ...), of a statistic of matrices (runs, tasks).

    Every task's runs are drawn on their own: stratified by task. The draws are those of :func:`scipy.stats.bootstrap`,
    given the columns one by one, but for large matrices, whose batches are smaller.
    """
    batch = max(1, min(_BATCH, _MOST_SCORES // max(matrix.size for matrix in matrices)))
    found = []
    for start in range(0, resamples, batch):
        drawn = [_resampled(matrix, min(batch, resamples - start), rng) for matrix in matrices]
        found.append(statistic(*drawn))
    return np.percentile(np.concatenate(found, axis=-1), _TAILS, axis=-1)


def _resampled(scores: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, runs, tasks): every task's runs, drawn with replacement."""
    num_runs, num_tasks = scores.shape
    drawn = rng.integers(num_runs, size=(num_tasks, count, num_runs))
    return np.ascontiguousarray(scores.T[np.arange(num_tasks)[:, None, None], drawn].transpose(1, 2, 0))

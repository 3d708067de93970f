"""Statistics of leaderboards (Agarwal et al., 2021), each of runs that count as often as one says.

Scores are float64 (runs, tasks). ``counts``, float64 (resamples, runs), says how often each run counts: once each for
the estimate itself (:func:`each_once`), as often as it was drawn for a resample. A run is never taken apart: its tasks
count as often as it does. Every function gives float64 (resamples,).
"""

from collections.abc import Callable

import numpy as np

#: A statistic: of scores and counts.
Aggregate = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: Most numbers that are held at a time: more leave the processor's cache.
_MOST_NUMBERS = 1_000_000


def each_once(num_runs: int) -> np.ndarray:
    """The counts of what was seen, float64 (1, runs)."""
    return np.ones((1, num_runs))


def mean(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean over runs and tasks of ``scores`` (runs, tasks) by ``counts`` (resamples, runs): float64 (resamples,)."""
    return counts @ scores.mean(axis=1) / counts.sum(axis=1)


def median(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Median over tasks of the mean over runs; shapes as of :func:`mean`, all float64."""
    middle = [(scores.shape[1] - 1) // 2, scores.shape[1] // 2]

    def of(batch: np.ndarray) -> np.ndarray:
        means = batch @ scores / batch.sum(axis=1, keepdims=True)
        return np.partition(means, middle, axis=1)[:, middle].mean(axis=1)  # np.median takes twice as long

    return _in_batches(of, counts, scores.shape[1])


def interquartile_mean(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean of the middle half of the scores of all tasks in all runs, rounded to whole scores at both ends.

    Shapes are those of :func:`mean`, all float64. Computed over the different scores that there are, which are few
    where episodes succeed or fail.
    """
    num_runs, num_tasks = scores.shape
    levels, places = np.unique(scores, return_inverse=True)
    cells = np.arange(num_runs)[:, None] * len(levels) + places.reshape(scores.shape)
    held = np.bincount(cells.ravel(), minlength=num_runs * len(levels)).reshape(num_runs, len(levels))

    def of(batch: np.ndarray) -> np.ndarray:
        number = batch.sum(axis=1, keepdims=True) * num_tasks
        cut = np.floor(number / 4)
        up_to = np.clip(np.cumsum(batch @ held, axis=1), cut, number - cut)
        return np.diff(up_to, axis=1, prepend=cut) @ levels / (number - 2 * cut)[:, 0]

    return _in_batches(of, counts, len(levels))


def shares_of_wins(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """On how many tasks a run of the first method beats one of the second, ties counting half.

    Args:
        scores: float64 (runs, tasks) of the first method.
        others: float64 (other runs, tasks) of the second, in the same order of tasks.

    Returns:
        Shares of the tasks, float64 (runs, other runs).
    """
    return np.array([((run > others) + 0.5 * (run == others)).mean(axis=1) for run in scores])


def probability_of_improvement(wins: np.ndarray, counts: np.ndarray, other_counts: np.ndarray) -> np.ndarray:
    """Probability that a run of the first method beats one of the second on a task: float64 (resamples,).

    Args:
        wins: float64 (runs, other runs) of :func:`shares_of_wins`.
        counts: float64 (resamples, runs).
        other_counts: float64 (resamples, other runs).
    """
    pairs = counts.sum(axis=1) * other_counts.sum(axis=1)
    return (counts @ wins * other_counts).sum(axis=1) / pairs


def _in_batches(statistic: Callable[[np.ndarray], np.ndarray], counts: np.ndarray, numbers: int) -> np.ndarray:
    """``statistic`` of the counts, which needs as many ``numbers`` for each resample."""
    size = max(1, _MOST_NUMBERS // numbers)
    return np.concatenate([statistic(counts[start : start + size]) for start in range(0, len(counts), size)])

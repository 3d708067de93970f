"""Normalised scores in learning curves: returns as shares of the best ones that are known of the tasks."""

from collections.abc import Sequence

import numpy as np

#: Percentiles that curves show, from the worst tasks on.
PERCENTILES = (10, 20, 50)
#: What the names of columns begin with whose scores are not cut at 1.
UNCUT = "uncut_"


def score_percentiles(returns: np.ndarray, best: np.ndarray, levels: Sequence[int] = PERCENTILES) -> dict[str, float]:
    """Percentiles, and the mean, of normalised scores: returns as shares of the best ones known, 1 at most.

    Args:
        returns: float64 (n,), means of tasks.
        best: float64 (n,); where it is 0, there is nothing to divide by, and the task does not count.
        levels: Percentiles, 0 to 100.
    """
    return _columns(np.minimum(_shares(returns, best), 1.0), levels)


def uncut_percentiles(returns: np.ndarray, best: np.ndarray, levels: Sequence[int] = PERCENTILES) -> dict[str, float]:
    """As :func:`score_percentiles`, of scores that exceed 1 where returns exceed the best ones known; names begin with
    :data:`UNCUT`."""
    return {UNCUT + name: value for name, value in _columns(_shares(returns, best), levels).items()}


def _shares(returns: np.ndarray, best: np.ndarray) -> np.ndarray:
    counted = best > 0
    return returns[counted] / best[counted]


def _columns(scores: np.ndarray, levels: Sequence[int]) -> dict[str, float]:
    if not len(scores):
        return {}
    columns = {f"percentile_{level}": float(np.percentile(scores, level)) for level in levels}
    return columns | {"normalised_score": float(scores.mean())}

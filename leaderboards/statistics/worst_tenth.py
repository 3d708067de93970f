"""The worst share of tasks, a tenth above all, of each run, without the luck by which tasks are found among the worst.

A task that was found worst by the very episodes that score it was partly unlucky, so its score is too low; and the mean
of many runs has less luck in it, so more runs of the same policy would score higher. Here one half of a task's episodes
ranks and the other half scores, both ways round, and runs are averaged last: the expectation does not depend on the
number of runs.
"""

import numpy as np

from procgen_bench.core.worst_tenth import num_worst

#: Fewer episodes of a task leave halves that rank nothing.
FEWEST_EPISODES = 5
#: Ways in which episodes are halved; their mean is taken.
_HALVINGS = 100


def worst_tenths(episodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """:func:`worst_shares` at a tenth."""
    return worst_shares(episodes, 10, rng)


def worst_shares(episodes: np.ndarray, percent: int, rng: np.random.Generator) -> np.ndarray:
    """Each run's mean score on its worst ``percent`` of tasks, rounded down, at least one: float64 (runs,).

    Of tasks that rank alike at the edge of that share, all count, each in part.

    Args:
        episodes: Scores of a task's episodes, in any order, float64 (runs, tasks, episodes), at least two episodes.
        percent: The share, 1 to 100: CVaR at so many percent; at 100 the mean.
        rng: Halves the episodes of every task.
    """
    half = episodes.shape[-1] // 2
    found = np.zeros(len(episodes))
    for _ in range(_HALVINGS):
        shuffled = rng.permuted(episodes, axis=-1)
        first, second = shuffled[..., :half].mean(axis=-1), shuffled[..., half:].mean(axis=-1)
        found += (_ranked_and_scored(first, second, percent) + _ranked_and_scored(second, first, percent)) / 2
    return found / _HALVINGS


def _ranked_and_scored(ranking: np.ndarray, scores: np.ndarray, percent: int) -> np.ndarray:
    """Mean (runs,) of the scores (runs, tasks) of the tasks that are worst by ``ranking`` (runs, tasks)."""
    worst = num_worst(ranking.shape[1], percent)
    edge = np.partition(ranking, worst - 1, axis=1)[:, worst - 1 : worst]
    below, at_edge = ranking < edge, ranking == edge
    left = worst - below.sum(axis=1, keepdims=True)
    weights = below + at_edge * left / at_edge.sum(axis=1, keepdims=True)
    return (weights * scores).sum(axis=1) / worst

"""The worst tenth of tasks, of each run, without the luck by which a task is found to be among the worst.

A task that was found worst by the very episodes that score it was partly unlucky, so its score is too low; and the mean
of many runs has less luck in it, so more runs of the same policy would score higher. Here one half of a task's episodes
ranks and the other half scores, both ways round, and runs are averaged last: the expectation does not depend on the
number of runs.
"""

import numpy as np

#: Fewer episodes of a task leave halves that rank nothing.
FEWEST_EPISODES = 5
#: Ways in which episodes are halved; their mean is taken.
_HALVINGS = 100


def worst_tenths(episodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each run's mean score on its worst tenth of tasks, rounded down, at least one: float64 (runs,).

    Of tasks that rank alike at the edge of that tenth, all count, each in part.

    Args:
        episodes: Scores of a task's episodes, in any order, float64 (runs, tasks, episodes), at least two episodes.
        rng: Halves the episodes of every task.
    """
    half = episodes.shape[-1] // 2
    found = np.zeros(len(episodes))
    for _ in range(_HALVINGS):
        shuffled = rng.permuted(episodes, axis=-1)
        first, second = shuffled[..., :half].mean(axis=-1), shuffled[..., half:].mean(axis=-1)
        found += (_ranked_and_scored(first, second) + _ranked_and_scored(second, first)) / 2
    return found / _HALVINGS


def _ranked_and_scored(ranking: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Mean (runs,) of the scores (runs, tasks) of the tasks that are worst by ``ranking`` (runs, tasks)."""
    worst = max(1, ranking.shape[1] // 10)
    edge = np.partition(ranking, worst - 1, axis=1)[:, worst - 1 : worst]
    below, at_edge = ranking < edge, ranking == edge
    left = worst - below.sum(axis=1, keepdims=True)
    weights = below + at_edge * left / at_edge.sum(axis=1, keepdims=True)
    return (weights * scores).sum(axis=1) / worst


def known_episodes(scores: np.ndarray, num_episodes: int) -> np.ndarray | None:
    """The episodes behind shares of episodes that succeed, in no order: zeros and ones (runs, tasks, episodes).

    Args:
        scores: float64 (runs, tasks), each a mean over as many episodes.
        num_episodes: Episodes of each task.

    Returns:
        The episodes; ``None`` where a score is no share of so many episodes.
    """
    successes = np.rint(scores * num_episodes)
    if np.abs(successes / num_episodes - scores).max() > 1e-9 or scores.min() < 0 or scores.max() > 1:
        return None
    return (np.arange(num_episodes) < successes[..., None]).astype(np.float64)

"""The worst share of tasks, a tenth above all: CVaR, which says how bad it gets where a mean looks well."""

import numpy as np

#: What the names of curves' columns begin with that hold it, before what is measured: ``"worst_tenth_success"``.
PREFIX = "worst_tenth_"


def num_worst(count: int, percent: int) -> int:
    """How many of ``count`` tasks the worst ``percent`` (1 to 100) of them are: rounded down, at least one."""
    return max(1, count * percent // 100)


def worst_share(scores: np.ndarray, percent: int) -> np.ndarray:
    """Mean, floats (...), of the worst ``percent`` (1 to 100) of n tasks' scores (..., n): CVaR at that share.

    Tasks are ranked by what scores them. Where few episodes make a score, it is lower than it should be:
    :func:`procgen_bench.leaderboards.statistics.worst_tenth.worst_shares` ranks by others.
    """
    worst = num_worst(scores.shape[-1], percent)
    return np.partition(scores, worst - 1, axis=-1)[..., :worst].mean(axis=-1)


def worst_tenth(scores: np.ndarray) -> np.ndarray:
    """:func:`worst_share` at a tenth."""
    return worst_share(scores, 10)


def worst_tenth_columns(**scores: np.ndarray) -> dict[str, float]:
    """Columns of a learning curve, by :data:`PREFIX` and the names of the scores (n,); of a single task none."""
    return {PREFIX + name: float(worst_tenth(values)) for name, values in scores.items() if len(values) > 1}

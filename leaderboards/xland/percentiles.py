"""Percentiles of normalised scores, participation, and the comparison of agents by them (4.1, 5.3)."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import ReturnTable

#: What characterises an agent: the worst game's score to the median.
PERCENTILES = tuple(range(51))


def score_percentiles(scores: np.ndarray, percentiles: Sequence[int] = PERCENTILES) -> np.ndarray:
    """Percentiles over games, float64 (..., K); the greater the percentile, the greater or equal the score.

    Percentile k is the least score that at least k % of the games do not exceed, the 0th is the worst game's: NumPy's
    method ``"inverted_cdf"``. So each is some game's score, and the k-th is above 0 exactly if fewer than k % of the
    games give the agent nothing; interpolated percentiles would claim that of more games. The ranks are computed in
    integers: NumPy computes ``k / 100 * games`` in floats, and takes the next game where that rounds up.

    Args:
        scores: Finite float64 (..., G), the normalised scores on G games.
        percentiles: K integers from 0 to 100.

    Raises:
        InvalidReturnsError: No games, a score that is not finite, or a percentile that is no such integer.
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise InvalidReturnsError("number of games", 0, "at least 1")
    for place in np.argwhere(~np.isfinite(scores))[:1]:
        raise InvalidReturnsError(f"score {list(map(int, place))}", float(scores[tuple(place)]), "a finite number")
    ranks = [_rank(percentile, scores.shape[-1]) for percentile in percentiles]
    return np.sort(scores, axis=-1)[..., ranks]


def participation(table: ReturnTable) -> np.ndarray:
    """The share of all tasks in which each policy gets any reward at all, float64 (P,) in [0, 1]."""
    return (table.returns > 0).mean(axis=1)


def dominance(curves: np.ndarray) -> np.ndarray:
    """Who is better than whom: bool (A, A), true where the row's agent dominates the column's.

    An agent dominates another if it is nowhere worse, and somewhere better.

    Args:
        curves: Finite float64 (A, K), the percentiles of A agents on the same games.

    Raises:
        InvalidReturnsError: No agents or percentiles, or a value that is not finite.
    """
    curves = _checked_curves(curves)
    left, right = curves[:, None], curves[None]
    return np.all(left >= right, axis=-1) & np.any(left > right, axis=-1)


def pareto_front(curves: np.ndarray) -> np.ndarray:
    """The agents that no other dominates, bool (A,); at least one is, and agents of equal curves both or neither.

    Args:
        curves: Finite float64 (A, K), the percentiles of A agents.

    Raises:
        InvalidReturnsError: As :func:`dominance`.
    """
    return ~np.any(dominance(curves), axis=0)


def _rank(percentile: int, num_games: int) -> int:
    """Place of a percentile among sorted scores: as few as have at least its share up to there."""
    if not (isinstance(percentile, int | np.integer) and 0 <= percentile <= 100):
        raise InvalidReturnsError("percentile", percentile, "an integer from 0 to 100")
    return max(-(-num_games * int(percentile) // 100), 1) - 1


def _checked_curves(curves: np.ndarray) -> np.ndarray:
    curves = np.asarray(curves, np.float64)
    if curves.ndim != 2 or 0 in curves.shape:
        raise InvalidReturnsError("shape of the curves", curves.shape, "agents x percentiles, at least one of each")
    for agent, place in np.argwhere(~np.isfinite(curves))[:1]:
        raise InvalidReturnsError(f"value {place} of curve {agent}", float(curves[agent, place]), "a finite number")
    return curves

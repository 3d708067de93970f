"""What is reported of an agent: its percentiles and its participation, with 95 % intervals over games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.statistics.resampling import RESAMPLES
from procgen_bench.leaderboards.xland.normalisation import normalised_scores
from procgen_bench.leaderboards.xland.percentiles import PERCENTILES, participation, score_percentiles
from procgen_bench.leaderboards.xland.returns import ReturnTable

_TAILS = (2.5, 97.5)
#: Resamples that are aggregated at a time.
_BATCH = 200


@dataclass(frozen=True)
class AgentSummary:
    """An agent's scores.

    Attributes:
        policy: Its name.
        percentiles: Normalised score at each percentile.
        participation: Share of tasks with any reward.
        uncut: As ``percentiles``, of scores that are not cut at 1.
    """

    policy: str
    percentiles: dict[int, Estimate]
    participation: Estimate
    uncut: dict[int, Estimate]

    @property
    def curve(self) -> np.ndarray:
        """The percentiles without their intervals, float64 (K,)."""
        return np.array([estimate.value for estimate in self.percentiles.values()])


def summarise_agents(
    table: ReturnTable,
    values: Mapping[str, float],
    rng: np.random.Generator,
    percentiles: Sequence[int] = PERCENTILES,
    resamples: int = RESAMPLES,
) -> list[AgentSummary]:
    """A summary of every policy of a table.

    Intervals are 95 % percentile intervals of a bootstrap over games, whose tasks stay together; all agents are
    resampled alike. What games are worth is taken as given. A single game gives no interval; and that of the 0th
    percentile, a minimum, says little: a resample cannot find a game that is worse than all.

    Args:
        table: The policies' returns.
        values: What every game's best mixture is worth (:class:`~.normalisers.Normaliser`).
        rng: Draws the resamples.
        percentiles: Which percentiles are reported.
        resamples: Number of bootstrap resamples.

    Raises:
        UnknownNameError, InvalidReturnsError: As :func:`~.normalisation.normalised_scores`.
    """
    normalised = normalised_scores(table, values)
    curves = _cut_and_uncut(score_percentiles(normalised.uncut, percentiles))
    curve_intervals = _intervals(
        normalised.uncut[:, None],
        lambda scores: _cut_and_uncut(score_percentiles(scores[:, 0], percentiles)),
        rng,
        resamples,
    )
    # Games can have different numbers of tasks, so that a resample's share is a ratio of sums.
    places = table.tasks_by_game.values()
    rewarded = np.stack([(table.returns[:, tasks] > 0).sum(axis=1) for tasks in places], axis=-1)
    played = np.broadcast_to([len(tasks) for tasks in places], rewarded.shape)
    share_intervals = _intervals(
        np.stack([rewarded, played], axis=1),
        lambda counts: (counts[:, 0].sum(axis=-1) / counts[:, 1].sum(axis=-1))[:, None],
        rng,
        resamples,
    )
    summaries = []
    for policy, curve, curve_interval, share, share_interval in zip(
        table.policies, curves, curve_intervals, participation(table), share_intervals
    ):
        estimates = _estimates(curve, curve_interval)
        cut, uncut = (
            dict(zip(percentiles, half)) for half in (estimates[: len(percentiles)], estimates[len(percentiles) :])
        )
        summaries.append(AgentSummary(policy, cut, _estimates([share], share_interval)[0], uncut))
    return summaries


def _cut_and_uncut(curves: np.ndarray) -> np.ndarray:
    """Percentiles (..., 2 K): of scores that are cut at 1, then these themselves (..., K), which are of uncut ones.

    A percentile is some game's score (:func:`~.percentiles.score_percentiles`), so that it can be cut afterwards.
    """
    return np.concatenate([np.minimum(curves, 1.0), curves], axis=-1)


def _intervals(of_agents: np.ndarray, statistic, rng: np.random.Generator, resamples: int) -> list[np.ndarray | None]:
    """Every agent's intervals, float64 (2, K), of a statistic of what it has on each game; None of a single game.

    Args:
        of_agents: (agents, quantities, games).
        statistic: From (resamples, quantities, games) to (resamples, K).
        rng: Draws the resamples.
        resamples: Their number.
    """
    num_games = of_agents.shape[-1]
    if num_games == 1:
        return [None] * len(of_agents)
    drawn = rng.integers(num_games, size=(resamples, num_games))
    batches = [drawn[start : start + _BATCH] for start in range(0, resamples, _BATCH)]
    return [
        np.percentile(
            np.concatenate([statistic(np.moveaxis(of_agent[:, batch], 0, 1)) for batch in batches]), _TAILS, axis=0
        )
        for of_agent in of_agents
    ]


def _estimates(values: Sequence[float], interval: np.ndarray | None) -> list[Estimate]:
    if interval is None:
        return [Estimate(float(value)) for value in values]
    return [Estimate(float(value), float(low), float(high)) for value, low, high in zip(values, *interval)]

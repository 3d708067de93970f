"""Estimates of how good a method is, from the scores of its runs: pure functions of runs x tasks matrices.

Point estimates are those of rliable (Agarwal et al., 2021). Their 95 % intervals are over runs (:mod:`.resampling`);
below five runs there are none, and where no resample comes out otherwise, as of runs that are all alike, there are none
either: such runs say nothing of what varies.
"""

import math
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.scores import ROUNDING, exact_mean
from procgen_bench.leaderboards.statistics.aggregates import (
    Aggregate,
    each_once,
    interquartile_mean,
    mean,
    median,
    probability_of_improvement,
    shares_of_wins,
)
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS, RESAMPLES, drawn_counts, interval_ends


@dataclass(frozen=True)
class Estimate:
    """A point estimate and its 95 % interval; ``low`` and ``high`` are ``None`` where no interval is drawn."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        ends = "" if self.interval is None else " ({:.3f} to {:.3f})".format(*self.interval)
        return f"{self.value:.3f}{ends}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, where there are any."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def complement(self) -> "Estimate":
        """Of one minus what is estimated."""
        return Estimate(1 - self.value, *(1 - end for end in reversed(self.interval or ())))


@dataclass(frozen=True)
class Summary:
    """The statistics of one method on one benchmark.

    Attributes:
        mean: Mean over runs and tasks, exact: the published score.
        interquartile_mean: Mean of the middle half of all scores.
        median: Median over tasks of the mean over runs.
        optimality_gap: How much of the best possible mean is missing, 1 - mean / best; at least 0. ``None`` where the
            best possible is not known.
    """

    mean: Estimate
    interquartile_mean: Estimate
    median: Estimate
    optimality_gap: Estimate | None


def summarise(
    scores: np.ndarray,
    maximum: float | None,
    rng: np.random.Generator,
    minimum: float = -math.inf,
    resamples: int = RESAMPLES,
    fewest_runs: int = FEWEST_RUNS,
) -> Summary:
    """All statistics of one method.

    Args:
        scores: float64 (runs, tasks); replayed scores, whose mean cannot exceed the maximum but by rounding.
        maximum: Best possible mean over tasks, greater than 0; ``None`` where it is not known.
        rng: Draws the resamples.
        minimum: Worst possible score.
        resamples: Number of bootstrap resamples.
        fewest_runs: Of fewer runs no interval is drawn, at least 2.
    """
    best_mean = math.inf if maximum is None else maximum
    # A single task's score can be better than the best possible mean, where not every task can be solved.
    best = max(best_mean, float(scores.max()))
    counts = drawn_counts(len(scores), resamples, rng) if len(scores) >= fewest_runs else None

    def estimated(aggregate: Aggregate, value: float, maximum: float) -> Estimate:
        resampled = None if counts is None else aggregate(scores, counts)
        return _estimate(value, resampled, len(scores), minimum, maximum)

    def rounded(aggregate: Aggregate) -> float:
        value = float(aggregate(scores, each_once(len(scores)))[0])
        return min(max(value, float(scores.min())), float(scores.max()))  # floating point may lead out

    of_mean = estimated(mean, exact_mean(scores.ravel()), best_mean)
    return Summary(
        mean=of_mean,
        interquartile_mean=estimated(interquartile_mean, rounded(interquartile_mean), best),
        median=estimated(median, rounded(median), best),
        optimality_gap=None if maximum is None else _gap(of_mean, maximum),
    )


def mean_over_runs(
    values: np.ndarray,
    rng: np.random.Generator,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of one value per run, float64 (runs,), which lie between ``minimum`` and ``maximum``."""
    (estimate,) = means_over_runs(values[:, None], rng, minimum, maximum, resamples)
    return estimate


def means_over_runs(
    values: np.ndarray,
    rng: np.random.Generator,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """The means of K values per run, all of the same resamples.

    Args:
        values: float64 (runs, K).
        rng: Draws the resamples.
        minimum, maximum: Range of the values.
        resamples: Number of bootstrap resamples.
    """
    means = [exact_mean(column) for column in values.T]
    if len(values) < FEWEST_RUNS:
        return [Estimate(value) for value in means]
    resampled = drawn_counts(len(values), resamples, rng) @ values / len(values)
    return [
        _estimate(value, column, len(values), minimum, maximum)
        for value, column in zip(means, resampled.T, strict=True)
    ]


def compare(
    scores: np.ndarray,
    others: np.ndarray,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    fewest_runs: int = FEWEST_RUNS,
) -> Estimate:
    """The probability of improvement: that a run of one method beats one of another on a task, ties counting half.

    Args:
        scores: float64 (runs, tasks) of the first method.
        others: float64 (other runs, tasks) of the second, in the same order of tasks.
        rng: Draws the resamples.
        resamples: Number of bootstrap resamples.
        fewest_runs: Where either has fewer runs no interval is drawn, at least 2.
    """
    wins, smaller = shares_of_wins(scores, others), min(len(scores), len(others))
    value = float(probability_of_improvement(wins, each_once(len(scores)), each_once(len(others)))[0])
    if smaller < fewest_runs:
        return Estimate(value)
    counts, other_counts = (drawn_counts(len(runs), resamples, rng) for runs in (scores, others))
    return _estimate(value, probability_of_improvement(wins, counts, other_counts), smaller, 0.0, 1.0)


def _estimate(value: float, resampled: np.ndarray | None, num_runs: int, minimum: float, maximum: float) -> Estimate:
    """An estimate of a value within a range, and of its resamples (resamples,), where there are any."""
    if resampled is None or np.ptp(resampled) <= ROUNDING * max(abs(value), 1):
        return Estimate(value)
    low, high = interval_ends(np.array(value), resampled, num_runs, minimum, maximum)
    return Estimate(value, float(low), float(high))


def _gap(mean: Estimate, maximum: float) -> Estimate:
    def missing(value: float) -> float:
        return max(1 - value / maximum, 0.0)

    if mean.interval is None:
        return Estimate(missing(mean.value))
    return Estimate(missing(mean.value), missing(mean.interval[1]), missing(mean.interval[0]))

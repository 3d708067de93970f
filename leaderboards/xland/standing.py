"""Standing: percentiles of normalised scores over games, by which rows of generated tasks compare (4.1, 5.3).

They are computed from recorded actions. So they do not rank; rows without a rank are listed by them.
"""

from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.statistics.estimates import Estimate, means_over_runs
from procgen_bench.leaderboards.xland.normalisation import normalised_scores
from procgen_bench.leaderboards.xland.normalisers import load_normaliser
from procgen_bench.leaderboards.xland.percentiles import participation, score_percentiles
from procgen_bench.leaderboards.xland.returns import ReturnTable

#: The percentiles that compare, in this order.
STANDING_PERCENTILES = (10, 20, 50)
#: Decimals to which standings are compared: what floating point adds is no difference.
_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Standing:
    """How a row stands under a normaliser.

    Attributes:
        normaliser: Version of the normaliser.
        percentiles: Normalised score at each of :data:`STANDING_PERCENTILES`, mean over runs.
        participation: Share of tasks with any reward, mean over runs.
        runs: float64 (runs, 4): the percentiles and the participation of every run.
    """

    normaliser: int
    percentiles: dict[int, Estimate]
    participation: Estimate
    runs: np.ndarray

    @property
    def order(self) -> tuple[float, ...]:
        """Greater is better: the 10th percentile decides, of equals the 20th, the 50th, then participation.

        Who is better at one of the percentiles, and nowhere worse, stands before.
        """
        means = [estimate.value for estimate in (*self.percentiles.values(), self.participation)]
        return tuple(round(value, _DECIMALS) for value in means)


def standing_of(benchmark: str, version: int, scores: np.ndarray, rng: np.random.Generator) -> Standing:
    """How a row stands.

    Args:
        benchmark: Id of the benchmark.
        version: Version of its normaliser.
        scores: float64 (runs, tasks), returns in the suite's order.
        rng: Draws the resamples of the runs.

    Raises:
        UnknownNameError: The benchmark has no normaliser of this version.
    """
    runs = run_standings(benchmark, version, scores)
    *percentiles, shares = means_over_runs(runs, rng, 0.0, 1.0)
    return Standing(version, dict(zip(STANDING_PERCENTILES, percentiles)), shares, runs)


def run_standings(benchmark: str, version: int, scores: np.ndarray) -> np.ndarray:
    """Every run's :data:`STANDING_PERCENTILES` and participation, float64 (runs, 4); see :func:`standing_of`."""
    normaliser = load_normaliser(benchmark, version)
    table = ReturnTable(tuple(map(str, range(len(scores)))), normaliser.table.tasks, scores)
    curves = score_percentiles(normalised_scores(table, normaliser.values).scores, STANDING_PERCENTILES)
    return np.column_stack([curves, participation(table)])

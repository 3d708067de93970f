"""The methods of a board as XLand counts them: every run is a policy, a method is the mean of its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.statistics.estimates import Estimate, mean_over_runs, means_over_runs
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.returns import ReturnTable
from procgen_bench.leaderboards.xland.summaries import AgentSummary


@dataclass(frozen=True, eq=False)
class MethodSummary:
    """A method's scores, means over its runs with 95 % intervals over them; fewer than five runs have none.

    Attributes:
        row: Its row of the board.
        runs: What its runs score, each with intervals over games.
        percentiles: Normalised score at each percentile.
        participation: Share of tasks with any reward.
        uncut: As ``percentiles``, of scores that are not cut at 1.
    """

    row: Row
    runs: list[AgentSummary]
    percentiles: dict[int, Estimate]
    participation: Estimate
    uncut: dict[int, Estimate]

    @property
    def method(self) -> str:
        """What the method is called."""
        return str(self.row.name)

    @property
    def curve(self) -> np.ndarray:
        """The percentiles without their intervals, float64 (K,)."""
        return np.array([estimate.value for estimate in self.percentiles.values()])


def policy_names(row: Row) -> tuple[str, ...]:
    """Names of a row's runs that count, each a policy of the board's table of returns."""
    return tuple(f"{row.entry.name}/{run}" for run in row.counted_runs)


def board_table(section: Section, tasks: Sequence[EvaluationTask]) -> ReturnTable:
    """The returns of all runs of a benchmark's rows.

    Runs are not averaged into one policy: their mean return is no policy's, and a method that fails in every run, but
    each time elsewhere, would seem to fail nowhere.

    Args:
        section: The benchmark and its rows, at least one.
        tasks: Its tasks, in the suite's order.
    """
    policies = tuple(name for row in section.rows for name in policy_names(row))
    return ReturnTable(policies, tuple(tasks), np.concatenate([row.scores for row in section.rows]))


def summarise_method(row: Row, runs: Sequence[AgentSummary], rng: np.random.Generator) -> MethodSummary:
    """The summary of a method.

    Args:
        row: Its row of the board.
        runs: What its runs score.
        rng: Draws the resamples of the runs.
    """
    percentiles = means_over_runs(np.stack([run.curve for run in runs]), rng, minimum=0.0)
    participation = mean_over_runs(np.array([run.participation.value for run in runs]), rng, 0.0, 1.0)
    curves = np.array([[estimate.value for estimate in run.uncut.values()] for run in runs])
    uncut = dict(zip(runs[0].uncut, means_over_runs(curves, rng.spawn(1)[0], minimum=0.0)))
    return MethodSummary(row, list(runs), dict(zip(runs[0].percentiles, percentiles)), participation, uncut)

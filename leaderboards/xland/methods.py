"""The methods of a board as XLand counts them: every run is a policy, a method is the mean of its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.section import Section
from procgen_bench.leaderboards.statistics import RESAMPLES, Estimate
from procgen_bench.leaderboards.table import Row
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import EvaluationTask, ReturnTable
from procgen_bench.leaderboards.xland.suite_tasks import NOBODY, game_identity
from procgen_bench.leaderboards.xland.summaries import AgentSummary
from procgen_bench.task_suite import TaskSuite

_TAILS = (2.5, 97.5)
#: Digits of the digest that names a world.
_DIGITS = 16


@dataclass(frozen=True, eq=False)
class MethodSummary:
    """A method's scores, means over its runs with 95 % intervals over them; a single run has none.

    Attributes:
        row: Its row of the board.
        runs: What its runs score, each with intervals over games.
        percentiles: Normalised score at each percentile.
        participation: Share of tasks with any reward.
    """

    row: Row
    runs: list[AgentSummary]
    percentiles: dict[int, Estimate]
    participation: Estimate

    @property
    def method(self) -> str:
        """What the method is called."""
        return self.row.entry.metadata.method

    @property
    def curve(self) -> np.ndarray:
        """The percentiles without their intervals, float64 (K,)."""
        return np.array([estimate.value for estimate in self.percentiles.values()])


def benchmark_tasks(suite: TaskSuite) -> tuple[EvaluationTask, ...]:
    """Every task of a benchmark's suite, whose tasks name their co-players themselves, in the suite's order.

    Tasks of one game have that of :func:`game_identity`, worlds are told apart by what they are, and a co-player who is
    both other players of a game of three bears its one name.

    Raises:
        InvalidReturnsError: A task of several players leaves its co-players open.
    """
    tasks = []
    for name, task in zip(suite.task_names, suite.tasks):
        if len(task.co_players) != task.game.num_players - 1:
            raise InvalidReturnsError(f"co-players of task {name!r}", task.co_players, "a name for every other player")
        world = task.world.fingerprint()[:_DIGITS]
        tasks.append(EvaluationTask(game_identity(task.game), world, team_name(task.co_players)))
    return tuple(tasks)


def team_name(co_players: Sequence[str]) -> str:
    """The co-player who is all other players; else their names joined by " + "; ``"nobody"`` of none."""
    return " + ".join(co_players if len(set(co_players)) > 1 else co_players[:1]) or NOBODY


def policy_names(row: Row) -> tuple[str, ...]:
    """Names of a row's runs, each a policy of the board's table of returns."""
    return tuple(f"{row.entry.name}/{run}" for run in range(len(row.entry.scores)))


def board_table(section: Section, tasks: Sequence[EvaluationTask]) -> ReturnTable:
    """The returns of all runs of a benchmark's rows.

    Runs are not averaged into one policy: their mean return is no policy's, and a method that fails in every run, but
    each time elsewhere, would seem to fail nowhere.

    Args:
        section: The benchmark and its rows, at least one.
        tasks: Its tasks, in the suite's order.
    """
    policies = tuple(name for row in section.rows for name in policy_names(row))
    return ReturnTable(policies, tasks, np.concatenate([row.entry.scores for row in section.rows]))


def summarise_method(row: Row, runs: Sequence[AgentSummary], rng: np.random.Generator) -> MethodSummary:
    """The summary of a method.

    Args:
        row: Its row of the board.
        runs: What its runs score.
        rng: Draws the resamples of the runs.
    """
    of_runs = np.array([[*run.curve, run.participation.value] for run in runs])
    *percentiles, participation = _estimates(of_runs, rng)
    return MethodSummary(row, list(runs), dict(zip(runs[0].percentiles, percentiles)), participation)


def _estimates(of_runs: np.ndarray, rng: np.random.Generator) -> list[Estimate]:
    """Means over runs, (runs, K), with the intervals of a bootstrap."""
    means, num_runs = of_runs.mean(axis=0), len(of_runs)
    if num_runs == 1:
        return [Estimate(float(mean)) for mean in means]
    resampled = of_runs[rng.integers(num_runs, size=(RESAMPLES, num_runs))].mean(axis=1)
    return [
        Estimate(float(mean), float(low), float(high))
        for mean, low, high in zip(means, *np.percentile(resampled, _TAILS, axis=0))
    ]

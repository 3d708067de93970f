"""The page of a benchmark of generated tasks: normalised percentiles and participation, and who dominates whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.charts.intervals import Bar, IntervalChart
from procgen_bench.leaderboards.charts.lines import Line, LineChart
from procgen_bench.leaderboards.charts.strips import Strip, StripChart
from procgen_bench.leaderboards.site.page_parts import Part
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.site.section_figures import Figure, draw
from procgen_bench.leaderboards.xland.comparisons import compare_methods
from procgen_bench.leaderboards.xland.downloads import write_percentiles
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.methods import MethodSummary, board_table, policy_names, summarise_method
from procgen_bench.leaderboards.xland.normalisers import Normaliser, load_normaliser
from procgen_bench.leaderboards.xland.percentiles import PERCENTILES
from procgen_bench.leaderboards.xland.standing import STANDING_PERCENTILES
from procgen_bench.leaderboards.xland.summaries import summarise_agents

#: The columns of the table.
SHOWN_PERCENTILES = (0, 10, 20, 30, 40, 50)
#: Rows whose strips are drawn.
_MAX_STRIPS = 30
#: Seed of the bootstrap: the same board always gives the same page.
_SEED = 0


@dataclass(frozen=True)
class UnrewardedGame:
    """A game that does not count in the percentiles.

    Attributes:
        task: Name of its first task.
        goal: Player 1's.
        co_players: Those who leave all of the normaliser's players without any reward.
    """

    task: str
    goal: str
    co_players: tuple[str, ...]


def percentile_part(section: Section, tasks: Sequence[EvaluationTask], folder: Path) -> Part:
    """The part of the page, of a benchmark with at least one row; its figures and its download go to ``folder``.

    ``tasks`` are those of :func:`~.evaluation_tasks.benchmark_tasks`. Returns are divided by what the players of the
    benchmark's normaliser get, so that rows change nothing but themselves.
    """
    benchmark = section.benchmark
    if benchmark.normaliser is None:
        return Part("xland_percentiles.html", {"comparisons": []})
    normaliser = load_normaliser(benchmark.id, benchmark.normaliser)
    table, rng = board_table(section, tasks), np.random.default_rng(_SEED)
    agents = {summary.policy: summary for summary in summarise_agents(table, normaliser.values, rng)}
    summaries = [summarise_method(row, [agents[name] for name in policy_names(row)], rng) for row in section.rows]
    comparisons = compare_methods(summaries)
    write_percentiles(section, table, normaliser, comparisons, folder)
    content = {
        "comparisons": comparisons,
        "shown": SHOWN_PERCENTILES,
        "shown_uncut": STANDING_PERCENTILES,
        "figures": _figures(section, summaries, folder),
        "num_games": len(normaliser.values) - len(normaliser.unrewarded),
        "unrewarded": _unrewarded(section, tasks, normaliser),
        "normaliser": normaliser,
    }
    return Part("xland_percentiles.html", content)


def entry_games_part(section: Section, tasks: Sequence[EvaluationTask], row: Row) -> Part:
    """What an entry got on every game against every co-player, mean over runs and worlds."""
    returns = row.entry.scores.mean(axis=0)
    co_players = list(dict.fromkeys(task.co_player for task in tasks))
    cells: dict[str, dict[str, list[float]]] = {}
    for task, value in zip(tasks, returns.tolist()):
        cells.setdefault(task.game, {}).setdefault(task.co_player, []).append(value)
    words = _games_in_words(section, tasks)
    games = [
        (
            *words[game],
            [float(np.mean(by_player[name])) if name in by_player else None for name in co_players],
        )
        for game, by_player in cells.items()
    ]
    return Part("xland_games.html", {"co_players": co_players, "games": games})


def _games_in_words(section: Section, tasks: Sequence[EvaluationTask]) -> dict[str, tuple[str, str]]:
    """The name of every game's first task, and player 1's goal in it."""
    first: dict[str, int] = {}
    for place, task in enumerate(tasks):
        first.setdefault(task.game, place)
    suite = section.suite
    return {
        game: (suite.task_names[place], str(suite.tasks[place].game).splitlines()[0]) for game, place in first.items()
    }


def _unrewarded(section: Section, tasks: Sequence[EvaluationTask], normaliser: Normaliser) -> list[UnrewardedGame]:
    words = _games_in_words(section, tasks)
    return [UnrewardedGame(*words[game], co_players) for game, co_players in normaliser.unrewarded.items()]


def _figures(section: Section, summaries: Sequence[MethodSummary], folder: Path) -> list[Figure]:
    drawn = [(summary, section.colours[summary.row]) for summary in summaries if summary.row in section.colours]
    benchmark_id = section.benchmark.id
    curves = LineChart(
        title=f"Normalised score of each method on {benchmark_id} at percentiles of games",
        x_label="percentile of games",
        y_label="normalised score",
        lines=[
            *(Line(summary.method, list(enumerate(summary.curve.tolist())), colour) for summary, colour in drawn),
            Line("best mixture", [(PERCENTILES[0], 1.0), (PERCENTILES[-1], 1.0)]),
        ],
        low=0.0,
        high=1.0,
    )
    surface = StripChart(
        title=f"Normalised score on {benchmark_id} as a surface over methods and percentiles",
        x_label="percentile of games",
        value_label="score",
        strips=[Strip(summary.method, summary.curve.tolist()) for summary in summaries[:_MAX_STRIPS]],
    )
    shares = IntervalChart(
        title=f"Participation of each method on {benchmark_id}",
        x_label="share of tasks with any reward",
        bars=[
            Bar(summary.method, summary.participation, [run.participation.value for run in summary.runs], colour)
            for summary, colour in drawn
        ],
        low=0.0,
        high=1.0,
    )
    return [
        draw(
            curves,
            "percentiles",
            folder,
            "Mean over runs; 1 is what the best mixture of players is sure of, or more.",
        ),
        draw(surface, "surface", folder, "The board's first rows, in its order; grey: nothing at all."),
        draw(shares, "participation", folder, "Large dots: mean. Small dots: runs. Bars: 95 % intervals."),
    ]

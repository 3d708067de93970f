"""How scores of levels correlate with true regret, as a picture and as a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.charts.style import MARKS, colour, figure_style
from procgen_bench.leaderboards.statistics.estimates import Estimate, means_over_runs
from procgen_bench.leaderboards.sweeps.drawing import write_picture

#: What readers call the scores, in the order of the table.
NAMES = {
    "mean_regret": "regret, four episodes",
    "regret": "regret, one episode",
    "max_monte_carlo": "MaxMC",
    "value_loss": "positive value loss",
    "mna": "MNA",
    "pace": "PACE",
    "traced": "TRACED",
    "learnability": "learnability, p(1 - p)",
    "progress": "absolute learning progress",
}
#: Of a panel, inches, and how many lie beside each other.
_WIDTH, _HEIGHT, _COLUMNS = 5.6, 4.6, 2

Results = Sequence[Mapping[str, Any]]


def draw(results: Results, path: Path) -> None:
    """Write a panel for each method on a benchmark: correlations over all levels by steps.

    Lines are means over seeds; from five on, a band shows their 95 % intervals.

    Args:
        results: As :mod:`.score_correlation` writes them; those of a panel have the same steps.
        path: ``.png`` or ``.svg``.

    Raises:
        InvalidOptionError: Two are of one seed.
    """
    every = by_panel(results)

    def picture() -> Figure:
        columns = min(_COLUMNS, len(every))
        lines = -(-len(every) // columns)
        figure = Figure(figsize=(_WIDTH * columns, _HEIGHT * lines), layout="constrained", dpi=110)
        panels = figure.subplots(lines, columns, squeeze=False, sharey=True).flat
        for panel in panels[len(every) :]:
            panel.remove()
        for panel, ((benchmark, method), own) in zip(panels, every.items(), strict=False):
            steps = [point["step"] / 1e6 for point in own[0]["points"]]
            for number, (score, name) in enumerate(NAMES.items()):
                found = estimates(np.array([correlations(result, score, "all") for result in own]))
                ink, mark = colour(number), MARKS[number % len(MARKS)]
                panel.plot(steps, [one.value for one in found], color=ink, marker=mark, label=name)
                low, high = zip(*(one.interval or (np.nan, np.nan) for one in found), strict=True)
                panel.fill_between(steps, low, high, color=ink, alpha=0.2, linewidth=0)
            panel.axhline(0, color=colour("axis"), linewidth=1)
            seeds = "one seed" if len(own) == 1 else f"mean of {len(own)} seeds"
            panel.set_title(f"{benchmark}, {method}, {seeds}")
            panel.set_xlabel("million environment steps")
            panel.set_ylabel("rank correlation with true regret")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5)
        return figure

    with figure_style(9):
        write_picture(picture, path)


def by_panel(results: Results) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """The results by benchmark and method, in their order.

    Raises:
        InvalidOptionError: Two are of one seed.
    """
    every: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for result in results:
        own = every.setdefault((result["benchmark"], result["method"]), [])
        if result["seed"] in [other["seed"] for other in own]:
            raise InvalidOptionError(
                f"seed {result['seed']} of {result['method']} on {result['benchmark']} is given twice, expected it once"
            )
        own.append(result)
    return every


def correlations(result: Mapping[str, Any], score: str, group: str) -> list[float]:
    """A score's correlations over training; NaN where it had none."""
    values = (point["correlations"][score][group] for point in result["points"])
    return [float("nan") if value is None else value for value in values]


def estimates(values: np.ndarray) -> list[Estimate]:
    """The mean over seeds of each column, float64 (seeds, K), with its interval; NaN where a seed has none."""
    known = ~np.isnan(values).any(axis=0)
    found = iter(means_over_runs(values[:, known], np.random.default_rng(0), -1, 1))
    return [next(found) if one else Estimate(np.nan) for one in known]


def table(results: Results) -> str:
    """Markdown, a table for each method on a benchmark: the mean over evaluations after the first, and over seeds, by
    group.

    A score that has no correlation at some evaluations (all levels score the same) is averaged over the others, and a
    dash stands where a seed never has one. Over all levels the mean's 95 % interval follows, from five seeds on.

    Raises:
        InvalidOptionError: Two are of one seed.
    """
    parts = []
    for (benchmark, method), own in by_panel(results).items():
        groups = list(own[0]["points"][0]["correlations"]["regret"])
        lines = [f"| {benchmark}, {method} | {' | '.join(groups)} |", f"| --- |{' ---: |' * len(groups)}"]
        for score, name in NAMES.items():
            means = [[_mean(correlations(one, score, group)[1:]) for group in groups] for one in own]
            whole, *others = estimates(np.array(means))
            cells = [_cell(whole), *(_cell(Estimate(one.value)) for one in others)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


def _cell(mean: Estimate) -> str:
    ends = "" if mean.interval is None else " ({:.2f} to {:.2f})".format(*mean.interval)
    return "-" if np.isnan(mean.value) else f"{mean.value:.2f}{ends}"

"""How scores of levels correlate with true regret, as a picture and as a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.charts.style import MARKS, colour, figure_style
from procgen_bench.leaderboards.sweeps.drawing import write_picture

#: What readers call the scores, in the order of the table.
NAMES = {
    "mean_regret": "regret, four episodes",
    "regret": "regret, one episode",
    "max_monte_carlo": "MaxMC",
    "value_loss": "positive value loss",
    "mna": "MNA",
    "learnability": "learnability, p(1 - p)",
    "progress": "absolute learning progress",
}
_WIDTH, _HEIGHT = 5.6, 4.6

Results = Sequence[Mapping[str, Any]]


def draw(results: Results, path: Path) -> None:
    """Write a panel for each benchmark: correlations over all levels by environment steps, means over seeds.

    Args:
        results: As :mod:`.score_correlation` writes them; those of a benchmark have the same steps.
        path: ``.png`` or ``.svg``.
    """
    benchmarks = list(dict.fromkeys(result["benchmark"] for result in results))

    def picture() -> Figure:
        figure = Figure(figsize=(_WIDTH * len(benchmarks), _HEIGHT), layout="constrained", dpi=110)
        panels = figure.subplots(1, len(benchmarks), squeeze=False, sharey=True)[0]
        for panel, benchmark in zip(panels, benchmarks, strict=True):
            own = [result for result in results if result["benchmark"] == benchmark]
            steps = [point["step"] / 1e6 for point in own[0]["points"]]
            for number, (score, name) in enumerate(NAMES.items()):
                values = np.array([correlations(result, score, "all") for result in own])
                mark = MARKS[number % len(MARKS)]
                panel.plot(steps, values.mean(axis=0), color=colour(number), marker=mark, label=name)
            panel.axhline(0, color=colour("axis"), linewidth=1)
            seeds = "one seed" if len(own) == 1 else f"mean of {len(own)} seeds"
            panel.set_title(f"{benchmark}, {own[0]['method']}, {seeds}")
            panel.set_xlabel("million environment steps")
        panels[0].set_ylabel("rank correlation with true regret")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        return figure

    with figure_style(9):
        write_picture(picture, path)


def correlations(result: Mapping[str, Any], score: str, group: str) -> list[float]:
    """A score's correlations over training; NaN where it had none."""
    values = (point["correlations"][score][group] for point in result["points"])
    return [float("nan") if value is None else value for value in values]


def table(results: Results) -> str:
    """Markdown, a table for each benchmark: the mean over evaluations after the first, and over seeds, by group.

    A score that has no correlation at some evaluations (all levels score the same) is averaged over the others, and a
    dash stands where it never has one.
    """
    parts = []
    for benchmark in dict.fromkeys(result["benchmark"] for result in results):
        own = [result for result in results if result["benchmark"] == benchmark]
        groups = list(own[0]["points"][0]["correlations"]["regret"])
        lines = [f"| {benchmark} | {' | '.join(groups)} |", f"| --- |{' ---: |' * len(groups)}"]
        for score, name in NAMES.items():
            cells = (_mean([value for one in own for value in correlations(one, score, group)[1:]]) for group in groups)
            lines.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _mean(values: Sequence[float]) -> str:
    known = [value for value in values if not np.isnan(value)]
    return f"{np.mean(known):.2f}" if known else "-"

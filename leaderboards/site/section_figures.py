"""The figures of a benchmark's page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib import figure as matplotlib_figure

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.charts.intervals import Bar, IntervalChart
from procgen_bench.leaderboards.charts.lines import Line, LineChart, Point, staircase
from procgen_bench.leaderboards.charts.style import figure_style
from procgen_bench.leaderboards.charts.svg import written
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.submission.metadata import Metadata

#: Points of a curve over a record: as many groups of tasks, where the record has more different values.
_GROUPS = 10
#: Points of a learning curve.
_MOST_POINTS = 200


class Chart(Protocol):
    """What can be drawn."""

    @property
    def title(self) -> str:
        """What it shows."""

    def figure(self) -> matplotlib_figure.Figure:
        """The chart, drawn."""


@dataclass(frozen=True)
class Figure:
    """A figure on a page: the SVG file beside it, what it shows in words, and its caption."""

    file: str
    title: str
    caption: str


def write_figures(section: Section, folder: Path) -> list[Figure]:
    """The figures of a benchmark with at least one row that is drawn; of the records, those that tell tasks apart."""
    metric = section.benchmark.metric
    caption = (
        "Large dots: mean score on the suite. Small dots: runs. Bars: 95 % intervals, from five runs on. Diamonds: "
        "scripted players and the best floor."
    )
    figures = [draw(_score_chart(section), "scores", folder, caption)]
    curves = {row: learning_curve(row.entry.metadata, section.benchmark) for row in section.drawn_rows}
    if any(curves.values()):
        caption = (
            f"Mean {metric} over runs during training, and from the worst run to the best, as the submitters report "
            "it: a replay cannot check it."
        )
        figures.append(draw(_learning_chart(section, curves), "learning", folder, caption))
    for number, (title, values) in enumerate(section.records.items()):
        if len(np.unique(values[~np.isnan(values)])) > 1:
            caption = f"Mean {metric} of tasks grouped by their {title}; tasks without one are left out."
            figures.append(draw(_record_chart(section, title, values), f"record-{number}", folder, caption))
    if len(np.unique([score for row in section.drawn_rows for score in row.scores.flat])) > 2:
        caption = "How many score more than the value on the x-axis: the higher the line, the better."
        figures.append(draw(_profile_chart(section), "profile", folder, caption))
    return figures


def draw(chart: Chart, name: str, folder: Path, caption: str) -> Figure:
    """Draw a chart to ``name``.svg in ``folder``."""
    with figure_style():
        content = written(chart.figure(), chart.title, caption)
    (folder / f"{name}.svg").write_bytes(content)
    return Figure(f"{name}.svg", chart.title, caption)


def _score_chart(section: Section) -> IntervalChart:
    benchmark = section.benchmark
    return IntervalChart(
        title=f"Mean {benchmark.metric} of each method on {benchmark.id}",
        x_label=f"mean {benchmark.metric}; best possible: {benchmark.maximum:g}",
        bars=[
            Bar(row.name.label, row.summary.mean, row.scores.mean(axis=1).tolist(), colour)
            for row, colour in section.colours.items()
        ],
        low=benchmark.minimum,
        high=benchmark.maximum,
    )


def _record_chart(section: Section, title: str, values: np.ndarray) -> LineChart:
    known = ~np.isnan(values)
    return LineChart(
        title=f"Mean {section.benchmark.metric} of each method on {section.benchmark.id}, by {title}",
        x_label=title,
        y_label=f"mean {section.benchmark.metric}",
        lines=[
            Line(
                row.name.label,
                grouped_means(values[known], row.scores.mean(axis=0)[known]),
                colour,
            )
            for row, colour in section.colours.items()
        ],
        low=section.benchmark.minimum,
        high=section.benchmark.maximum,
        marked=True,
    )


def grouped_means(records: np.ndarray, scores: np.ndarray) -> list[Point]:
    """How scores change with a record: (mean record, mean score) of groups of tasks of similar records.

    Args:
        records: (tasks,), what is known of each task, e.g. the length of its shortest solution.
        scores: (tasks,), the task's score.
    """
    values = np.unique(records)
    if len(values) > _GROUPS:
        inner = np.quantile(records, np.linspace(0, 1, _GROUPS + 1)[1:-1])
        group = np.searchsorted(np.unique(inner), records)
    else:
        group = np.searchsorted(values, records)
    return [(float(records[group == g].mean()), float(scores[group == g].mean())) for g in np.unique(group)]


@dataclass(frozen=True)
class LearningCurve:
    """Mean scores over runs by environment steps, and the scores of the worst and of the best run around them."""

    points: list[Point]
    band: list[Point]


def learning_curve(metadata: Metadata, benchmark: Benchmark) -> LearningCurve | None:
    """The curve from where all runs had been evaluated to where the first of them ended; ``None`` where there is none.

    Between its evaluations a run's score is taken to change evenly. Scores are the submitter's word, and kept within
    what is possible.
    """
    curves = [[] if run.training is None else run.training.curve for run in metadata.runs]
    if not all(curves):
        return None
    steps = [np.array([point.step for point in curve], np.float64) for curve in curves]
    start, end = max(of_run[0] for of_run in steps), min(of_run[-1] for of_run in steps)
    if start > end:
        return None
    at = np.unique(np.concatenate(steps))
    at = at[(at >= start) & (at <= end)]
    if len(at) > _MOST_POINTS:
        at = np.linspace(start, end, _MOST_POINTS)
    scores = np.array(
        [
            np.interp(at, of_run, np.clip([point.score for point in curve], benchmark.minimum, benchmark.maximum))
            for of_run, curve in zip(steps, curves)
        ]
    )
    band = list(zip(scores.min(axis=0).tolist(), scores.max(axis=0).tolist())) if len(curves) > 1 else []
    return LearningCurve(list(zip(at.tolist(), scores.mean(axis=0).tolist())), band)


def _learning_chart(section: Section, curves: dict[Row, LearningCurve | None]) -> LineChart:
    return LineChart(
        title=f"Learning curves on {section.benchmark.id}",
        x_label="environment steps of training",
        y_label=f"mean {section.benchmark.metric}",
        lines=[
            Line(row.name.label, curve.points, section.colours[row], curve.band)
            for row, curve in curves.items()
            if curve is not None
        ],
        low=section.benchmark.minimum,
        high=section.benchmark.maximum,
    )


def _profile_chart(section: Section) -> LineChart:
    scores = {row: row.scores.ravel().tolist() for row in section.drawn_rows}
    low, high = min(map(min, scores.values())), max(map(max, scores.values()))
    metric = section.benchmark.metric
    return LineChart(
        title=f"Share of tasks and runs on which each method scores more than a {metric}, on {section.benchmark.id}",
        x_label=metric,
        y_label="share of tasks and runs above",
        lines=[
            Line(row.name.label, staircase(values, low, high), section.colours[row]) for row, values in scores.items()
        ],
        low=0.0,
        high=1.0,
        steps=True,
    )

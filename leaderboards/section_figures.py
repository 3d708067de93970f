"""The figures of a benchmark's page."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.episodes import PlayedEpisode, grouped_means
from procgen_bench.leaderboards.figures import Bar, IntervalChart, LineChart, Point, Series, staircase
from procgen_bench.leaderboards.heat_chart import HeatChart
from procgen_bench.leaderboards.metadata import Metadata
from procgen_bench.leaderboards.section import Section
from procgen_bench.leaderboards.site_templates import TEMPLATES


@dataclass(frozen=True)
class Figure:
    """A figure on a page: the SVG file beside it, what it shows in words, and its caption."""

    file: str
    title: str
    caption: str


def write_figures(section: Section, episodes: dict[str, list[PlayedEpisode]], folder: Path) -> list[Figure]:
    """The benchmark's figures; of the records, those that tell tasks apart."""
    metric = section.benchmark.metric
    figures = [draw(_score_chart(section), "scores", folder, "Dots: mean score. Bars: 95 % intervals. Ticks: runs.")]
    if any(learning_curve(row.entry.metadata) for row in section.drawn_rows):
        caption = f"Mean {metric} over runs during training, as the submitters report it: a replay cannot check it."
        figures.append(draw(_learning_chart(section), "learning", folder, caption))
    for number, (title, values) in enumerate(section.records.items()):
        if len(np.unique(values[~np.isnan(values)])) > 1:
            caption = f"Mean {metric} of tasks grouped by their {title}; tasks without one are left out."
            figures.append(draw(_record_chart(section, title, values), f"record-{number}", folder, caption))
    figures.append(
        draw(
            _distribution_chart(section, episodes),
            "distribution",
            folder,
            "How many score more than the value on the x-axis: the higher the line, the better.",
        )
    )
    return figures


def _score_chart(section: Section) -> IntervalChart:
    benchmark = section.benchmark
    return IntervalChart(
        title=f"Mean {benchmark.metric} of each method on {benchmark.id}, with 95 % intervals",
        x_label=f"mean {benchmark.metric}, from the worst to the best possible",
        bars=[
            Bar(row.entry.metadata.method, row.summary.mean, row.entry.scores.mean(axis=1).tolist(), row.rank is None)
            for row in section.drawn_rows
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
        series=[
            Series(
                row.entry.metadata.method,
                grouped_means(values[known], row.entry.scores.mean(axis=0)[known]),
                row.rank is None,
            )
            for row in section.drawn_rows
        ],
    )


def _learning_chart(section: Section) -> LineChart:
    curves = {row: learning_curve(row.entry.metadata) for row in section.drawn_rows}
    return LineChart(
        title=f"Learning curves on {section.benchmark.id}",
        x_label="environment steps of training",
        y_label=f"mean {section.benchmark.metric}",
        series=[Series(row.entry.metadata.method, curve, row.rank is None) for row, curve in curves.items() if curve],
        markers=False,
    )


def learning_curve(metadata: Metadata) -> list[Point]:
    """Mean score over runs at the steps at which all of them were evaluated; none where a run has no curve."""
    curves = [{} if run.training is None else {p.step: p.score for p in run.training.curve} for run in metadata.runs]
    steps = set.intersection(*(set(curve) for curve in curves))
    return [(float(step), float(np.mean([curve[step] for curve in curves]))) for step in sorted(steps)]


def _distribution_chart(section: Section, episodes: dict[str, list[PlayedEpisode]]) -> LineChart:
    """The distribution over tasks, or over episodes where there is a single task and all were replayed."""
    by_episode = len(section.suite) == 1 and all(episodes.values())
    metric, unit = section.benchmark.metric, "episodes" if by_episode else "tasks"
    values = {
        row: row.entry.scores.mean(axis=0).tolist()
        if unit == "tasks"
        else [episode.score for episode in episodes[row.entry.name]]
        for row in section.drawn_rows
    }
    low, high = min(map(min, values.values())), max(map(max, values.values()))
    return LineChart(
        title=f"Share of {unit} of {section.benchmark.id} on which each method scores more than a given {metric}",
        x_label=metric if unit == "episodes" else f"{metric}, mean over runs",
        y_label=f"share of {unit} above",
        series=[
            Series(row.entry.metadata.method, staircase(scores, low, high), row.rank is None)
            for row, scores in values.items()
        ],
        markers=False,
    )


def draw(chart: IntervalChart | LineChart | HeatChart, name: str, folder: Path, caption: str) -> Figure:
    """Draw a chart to ``name``.svg in ``folder``."""
    (folder / f"{name}.svg").write_text(TEMPLATES.get_template(chart.template).render(chart=chart), "utf-8")
    return Figure(f"{name}.svg", chart.title, caption)

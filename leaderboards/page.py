"""The results page: a board as a static site, which needs no server and no network."""

import itertools
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from urllib.parse import urlsplit

import gymnasium
import jinja2
import numpy as np
from tqdm import tqdm

from procgen_bench.benchmark import Benchmark
from procgen_bench.errors import MissingExtraError
from procgen_bench.leaderboards.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.clips import write_clips, write_pictures
from procgen_bench.leaderboards.episodes import PlayedEpisode, grouped_means, play_back, task_results
from procgen_bench.leaderboards.figures import (
    MAX_SERIES,
    Bar,
    IntervalChart,
    LineChart,
    Point,
    Series,
    staircase,
)
from procgen_bench.leaderboards.metadata import Metadata
from procgen_bench.leaderboards.site_folder import replaced_folder
from procgen_bench.leaderboards.statistics import Estimate, compare
from procgen_bench.leaderboards.table import Row, read_table
from procgen_bench.registration import environment_type
from procgen_bench.task_suite import TaskSuite
from procgen_bench.version import __version__

_ASSETS = ("style.css", "script.js", "icon.svg")
#: Seed of the bootstrap: the same board always gives the same site.
_SEED = 0
#: Names of the suites' records in words; other records go by their own name.
_RECORD_TITLES = {"length": "shortest solution"}


@dataclass(frozen=True)
class Figure:
    """A figure on a page: the SVG file beside it, what it shows in words, and its caption."""

    file: str
    title: str
    caption: str


@dataclass(frozen=True, eq=False)
class Section:
    """A benchmark with its rows: what one page and its entries' pages are about."""

    benchmark: Benchmark
    rows: list[Row]

    @cached_property
    def suite(self) -> TaskSuite:
        """The tasks that are scored."""
        return self.benchmark.task_suite()

    @cached_property
    def records(self) -> dict[str, np.ndarray]:
        """What is known of the tasks, by its title: float64 (tasks,), NaN where a task has no such value."""
        return {
            _RECORD_TITLES.get(name, name): np.where(values < 0, np.nan, values)
            for name, values in self.suite.records.items()
        }

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        return gymnasium.spec(self.benchmark.environment_id).max_episode_steps

    @property
    def best_rows(self) -> list[Row]:
        """The rows that the index shows."""
        return [row for row in self.rows if row.rank is not None][:3]

    @property
    def drawn_rows(self) -> list[Row]:
        """The rows that figures show: the best ones, and oracles."""
        methods = [row for row in self.rows if row.rank is not None][:MAX_SERIES]
        return [row for row in self.rows if row.rank is None or row in methods]


def write_site(board: str | PathLike, out: str | PathLike) -> None:
    """Write a board as a static site: an index, a page for every benchmark and one for every entry.

    Benchmarks that have no entries and whose environment needs a package that is not installed are left out.

    Args:
        board: The board's folder.
        out: Where the site goes; a site that is there is replaced as a whole, or left as it was if anything fails.

    Raises:
        ForeignFolderError: ``out`` is something else than a site, an empty folder, or nothing yet.
        CorruptBoardError: An entry of the board cannot be read.
        MissingExtraError: An entry's environment cannot be played back for want of a package.
    """
    with replaced_folder(Path(out)) as site:
        benchmarks = tqdm(BENCHMARKS.values(), desc="statistics", unit="benchmark", delay=2, leave=False)
        sections = [Section(benchmark, read_table(benchmark, board)) for benchmark in benchmarks]
        sections = [section for section in sections if section.rows or _is_installed(section.benchmark)]
        for name in _ASSETS:
            (site / name).write_text(TEMPLATES.loader.get_source(TEMPLATES, name)[0], "utf-8")
        num_pages = sum(1 + len(section.rows) for section in sections)
        with tqdm(total=num_pages, desc="pages", unit="page", delay=2, leave=False) as bar:
            for section in sections:
                _write_section(section, site, bar)
        tracks: dict[str, list[Section]] = {}
        for section in sections:  # a track's benchmarks need not follow one another
            tracks.setdefault(section.benchmark.track, []).append(section)
        _write_page(site / "index.html", "index.html", site, tracks=tracks)


def _is_installed(benchmark: Benchmark) -> bool:
    """Whether the packages are there that the benchmark's environment needs."""
    try:
        environment_type(benchmark.environment_id)
    except MissingExtraError:
        return False
    return True


def _write_section(section: Section, site: Path, bar: tqdm) -> None:
    """A benchmark's page and those of its entries."""
    folder = site.joinpath(*section.benchmark.id.split("/"))
    folder.mkdir(parents=True)
    episodes = {}
    for row in section.rows:
        episodes[row.entry.name] = play_back(row.entry)
        _write_entry(section, row, episodes[row.entry.name], folder / row.entry.name, site)
        bar.update()
    _write_page(
        folder / "index.html",
        "benchmark.html",
        site,
        section=section,
        pictures=write_pictures(section.benchmark.environment_id, section.suite, folder),
        figures=_write_figures(section, episodes, folder) if section.rows else [],
        comparisons=_comparisons(section),
    )
    bar.update()


def _write_entry(section: Section, row: Row, episodes: list[PlayedEpisode], folder: Path, site: Path) -> None:
    folder.mkdir()
    _write_page(
        folder / "index.html",
        "entry.html",
        site,
        section=section,
        row=row,
        clips=write_clips(section.benchmark.environment_id, episodes, folder),
        results=task_results(row.entry, episodes),
        run_scores=row.entry.scores.mean(axis=1).tolist(),
    )


def _write_figures(section: Section, episodes: dict[str, list[PlayedEpisode]], folder: Path) -> list[Figure]:
    """The benchmark's figures; of the records, those that tell tasks apart."""
    metric = section.benchmark.metric
    figures = [_draw(_score_chart(section), "scores", folder, "Dots: mean score. Bars: 95 % intervals. Ticks: runs.")]
    if any(learning_curve(row.entry.metadata) for row in section.drawn_rows):
        caption = f"Mean {metric} over runs during training, as the submitters report it: a replay cannot check it."
        figures.append(_draw(_learning_chart(section), "learning", folder, caption))
    for number, (title, values) in enumerate(section.records.items()):
        if len(np.unique(values[~np.isnan(values)])) > 1:
            caption = f"Mean {metric} of tasks grouped by their {title}; tasks without one are left out."
            figures.append(_draw(_record_chart(section, title, values), f"record-{number}", folder, caption))
    figures.append(
        _draw(
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
    """The distribution over tasks, or over episodes where there is a single task."""
    metric, unit = section.benchmark.metric, "tasks" if len(section.suite) > 1 else "episodes"
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


def _comparisons(section: Section) -> tuple[list[Row], list[list[Estimate | None]]] | None:
    """The drawn methods of several runs, and the probability that the one of a row improves on the one of a column."""
    rows = [row for row in section.drawn_rows if len(row.entry.scores) > 1]
    if len(rows) < 2:
        return None
    matrix: list[list[Estimate | None]] = [[None] * len(rows) for _ in rows]
    for i, j in itertools.combinations(range(len(rows)), 2):
        better = compare(rows[i].entry.scores, rows[j].entry.scores, np.random.default_rng(_SEED))
        matrix[i][j] = better
        matrix[j][i] = Estimate(1 - better.value, 1 - better.high, 1 - better.low)
    return rows, matrix


def _draw(chart: IntervalChart | LineChart, name: str, folder: Path, caption: str) -> Figure:
    (folder / f"{name}.svg").write_text(TEMPLATES.get_template(chart.template).render(chart=chart), "utf-8")
    return Figure(f"{name}.svg", chart.title, caption)


def _write_page(path: Path, template: str, site: Path, **content) -> None:
    root = "../" * len(path.parent.relative_to(site).parts)
    path.write_text(TEMPLATES.get_template(template).render(root=root, version=__version__, **content), "utf-8")


def _web_link(address: str | None) -> str | None:
    """``address`` if it leads to the web and nowhere else."""
    return address if address is not None and urlsplit(address).scheme in ("http", "https") else None


def _host(address: str) -> str:
    return urlsplit(address).netloc


def _score(value: float) -> str:
    return f"{value:.3f}"


def _number(value: float) -> str:
    """``value`` as a whole number if it is one, else with one decimal or, below 10, three; an em dash for none."""
    if np.isnan(value):
        return "—"
    decimals = 0 if float(value).is_integer() else 1 if abs(value) >= 10 else 3
    return f"{value:,.{decimals}f}"


#: Everything they are given is escaped; a name that they are not given is an error.
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("procgen_bench.leaderboards", "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {"web_link": _web_link, "host": _host, "score": _score, "number": _number}

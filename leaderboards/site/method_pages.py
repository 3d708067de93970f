"""A page for each method: its rows over all benchmarks, what they cost, how they were trained, and how they learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.method_names import MethodName
from procgen_bench.leaderboards.charts.lines import Line, LineChart
from procgen_bench.leaderboards.site.comparison import Cell, IndexedBenchmark, cell_of
from procgen_bench.leaderboards.site.contents import Parts, part_key
from procgen_bench.leaderboards.site.section import MAX_DRAWN, colours_of
from procgen_bench.leaderboards.site.section_figures import Figure, draw, learning_curve
from procgen_bench.leaderboards.site.site_templates import method_folder, write_page
from procgen_bench.leaderboards.submission.metadata import Metadata

#: What a page shows of a benchmark.
_OF_BENCHMARK = ("benchmark", "metric", "minimum", "maximum", "scale_start")


@dataclass(frozen=True, eq=False)
class MethodEntry:
    """A row of a method.

    Attributes:
        name: What the row is called.
        cell: The row, and the benchmark that it is of.
        training: How it was trained, as :func:`training_record` gives it.
    """

    name: MethodName
    cell: Cell
    training: dict[str, Any]

    @property
    def content(self) -> list[Any]:
        """All that a page shows of it, as plain JSON."""
        benchmark = {name: self.cell.benchmark[name] for name in _OF_BENCHMARK}
        return [benchmark, self.cell.row, self.cell.replay, self.training]


def training_record(metadata: Metadata, benchmark: Benchmark) -> dict[str, Any]:
    """How an entry was trained, as plain JSON: the first run's ``command`` (``None``: not stated), and the ``points``
    and the ``band`` of its learning curve (empty: there is none)."""
    commands = [run.training.command for run in metadata.runs if run.training is not None]
    curve = learning_curve(metadata, benchmark)
    return {
        "command": commands[0] if commands else None,
        "points": [] if curve is None else [list(point) for point in curve.points],
        "band": [] if curve is None else [list(ends) for ends in curve.band],
    }


def write_methods(benchmarks: Sequence[IndexedBenchmark], site: Path, parts: Parts) -> None:
    """Write the page of every method that has a row, or take it over from the site before."""
    for folder, entries in entries_by_method(benchmarks).items():
        key = part_key([entry.content for entry in entries])
        if parts.taken_over(folder, key) is None:
            parts.add(folder, key, _write_method(entries, site / folder, site), True)


def entries_by_method(benchmarks: Sequence[IndexedBenchmark]) -> dict[str, list[MethodEntry]]:
    """The rows of each method by its folder, in the benchmarks' order; names that differ in case alone are one."""
    methods: dict[str, list[MethodEntry]] = {}
    for benchmark in benchmarks:
        for row in benchmark.feed["rows"]:
            name = MethodName(row["method"], row["teacher"], row["variant"])
            entry = MethodEntry(name, cell_of(benchmark, row), benchmark.training[row["entry"]])
            methods.setdefault(method_folder(name.method), []).append(entry)
    return methods


def _write_method(entries: Sequence[MethodEntry], folder: Path, site: Path) -> list[Path]:
    folder.mkdir(parents=True)
    write_page(
        folder / "index.html",
        "method.html",
        site,
        entries=entries,
        figures=_figures(entries, folder),
    )
    return sorted(folder.iterdir())


def _figures(entries: Sequence[MethodEntry], folder: Path) -> list[Figure]:
    """Learning curves, a figure for each benchmark on which there are any."""
    learned: dict[str, list[MethodEntry]] = {}
    for entry in entries:
        if entry.training["points"]:
            learned.setdefault(entry.cell.benchmark["benchmark"], []).append(entry)
    return [
        draw(_learning_chart(of_one[:MAX_DRAWN]), f"learning-{number}", folder, _caption(of_one))
        for number, of_one in enumerate(learned.values())
    ]


def _caption(entries: Sequence[MethodEntry]) -> str:
    metric = entries[0].cell.benchmark["metric"]
    shown = f" The first {MAX_DRAWN} of {len(entries)} rows." if len(entries) > MAX_DRAWN else ""
    return f"Mean {metric} over runs, and from the worst run to the best, as the submitters report it.{shown}"


def _learning_chart(entries: Sequence[MethodEntry]) -> LineChart:
    benchmark = entries[0].cell.benchmark
    colours = colours_of([str(entry.name) for entry in entries])
    return LineChart(
        title=f"Learning curves of {entries[0].name.method} on {benchmark['benchmark']}",
        x_label="environment steps of training",
        y_label=f"mean {benchmark['metric']}",
        lines=[
            Line(
                entry.name.label,
                [(step, score) for step, score in entry.training["points"]],
                colour,
                [(low, high) for low, high in entry.training["band"]],
            )
            for entry, colour in zip(entries, colours)
        ],
        low=benchmark["minimum"],
        high=benchmark["maximum"],
    )

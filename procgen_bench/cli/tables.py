"""A board's tables as the terminal shows them."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from procgen_bench.core.benchmark import Benchmark
    from procgen_bench.leaderboards.board.table import Row


def print_tables(benchmarks: list["Benchmark"], board: Path) -> None:
    """Print a board's rows of each benchmark, or that there are none."""
    from rich.console import Console
    from tqdm import tqdm

    from procgen_bench.leaderboards.board.table import read_table

    console = Console()
    tables = {
        benchmark: read_table(benchmark, board)
        for benchmark in tqdm(benchmarks, desc="statistics", unit="benchmark", delay=2, leave=False)
    }
    for benchmark, rows in tables.items():
        if rows:
            console.print(_table(benchmark, rows))
        else:
            console.print(f"{benchmark.id}: no entries", highlight=False)
        console.print()


def _table(benchmark: "Benchmark", rows: list["Row"]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

    table = Table(
        title=Text(f"{benchmark.id} v{benchmark.version}"),
        caption=Text(
            f"{benchmark.description} Best possible: {benchmark.maximum:g}. "
            f"Intervals: 95 %, of at least {FEWEST_RUNS} runs that differ."
            + (f" Normaliser version {benchmark.normaliser}." if benchmark.normaliser else "")
        ),
    )
    standing = rows[0].standing
    if standing is None:
        scores = [benchmark.metric, "IQM"]
    else:
        scores = [*(f"P{place}" for place in standing.percentiles), "participation", benchmark.metric]
    for column in ("rank", "method", "tier", *scores, "runs", "training steps"):
        table.add_column(column, justify="left" if column in ("method", "tier") else "right", min_width=len(column))
    for row in rows:
        metadata = row.entry.metadata
        table.add_row(
            _rank(row),
            Text(_method(row)),
            _tier(row),
            *_scores(row),
            str(len(row.counted_runs)),
            f"{metadata.training_steps:,}",
        )
    return table


def _rank(row: "Row") -> str:
    if row.folded_under is not None:
        return "-"
    if row.entry.metadata.oracle:
        return "oracle"
    return "suite" if row.rank is None else str(row.rank)


def _method(row: "Row") -> str:
    """Its name, what it may not have been trained on and was, and the method whose actions it plays."""
    name = row.entry.metadata.method
    if row.entry.trained_on_suite:
        name += ", trained on the suite"
    return name if row.folded_under is None else f"{name}, as {row.folded_under.metadata.method}"


def _scores(row: "Row") -> list[str]:
    """Its score and what is told beside it: what it is ranked by, where its benchmark has a normaliser."""
    if row.standing is None:
        return [str(row.summary.mean), f"{row.summary.interquartile_mean.value:.3f}"]
    standing = (*row.standing.percentiles.values(), row.standing.participation)
    return [*map(str, standing), str(row.summary.mean)]


def _tier(row: "Row") -> str:
    """How far it is to be believed, and how many of its episodes were not verified bit for bit."""
    record = row.entry.record
    return f"{record.tier.value}, {record.by_segments} by segments" if record.by_segments else record.tier.value

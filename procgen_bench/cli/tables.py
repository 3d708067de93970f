"""A board's tables as the terminal shows them."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from procgen_bench.core.benchmark import Benchmark
    from procgen_bench.leaderboards.board.table import Row

_WORDS = ("method", "teacher", "variant", "tier")


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
            f"Ranks go by fresh episodes. In brackets: 95 % intervals, of at least {FEWEST_RUNS} runs that differ."
            + (f" Normaliser version {benchmark.normaliser}." if benchmark.normaliser else "")
        ),
    )
    columns = {
        "rank": [_rank(row) for row in rows],
        "method": [_method(row) for row in rows],
        "teacher": [row.name.teacher for row in rows],
        "variant": [row.name.variant for row in rows],
        "tier": [_tier(row) for row in rows],
        f"fresh {benchmark.metric}": ["" if row.fresh is None else str(row.fresh) for row in rows],
        f"suite's {benchmark.metric}": [str(row.summary.mean) for row in rows],
        **_standings(rows),
        "runs": [str(len(row.counted_runs)) for row in rows],
        "training steps": [f"{row.entry.metadata.training_steps:,}" for row in rows],
    }
    shown = {title: cells for title, cells in columns.items() if any(cells)}
    for title in shown:
        table.add_column(
            title, justify="left" if title in _WORDS else "right", overflow="fold", min_width=_least(title)
        )
    for cells in zip(*shown.values()):
        table.add_row(*map(Text, cells))
    return table


def _least(title: str) -> int:
    """The width of a column's longest word, within which its title wraps."""
    return max(map(len, title.split()))


def _rank(row: "Row") -> str:
    """Its rank, or why it has none."""
    if row.rank is not None:
        return str(row.rank)
    return "-" if row.folded_under is not None or row.unranked is None else row.unranked.value


def _method(row: "Row") -> str:
    """Its method, and the row whose actions it plays."""
    return row.name.method if row.folded_under is None else f"{row.name.method}, as {row.folded_under.metadata.method}"


def _standings(rows: list["Row"]) -> dict[str, list[str]]:
    """How rows stand under their benchmark's normaliser; where it has none, the interquartile mean."""
    standings = [row.standing for row in rows if row.standing is not None]
    if len(standings) < len(rows):
        return {"IQM": [f"{row.summary.interquartile_mean.value:.3f}" for row in rows]}
    return {
        **{f"P{place}": [str(one.percentiles[place]) for one in standings] for place in standings[0].percentiles},
        "participation": [str(one.participation) for one in standings],
    }


def _tier(row: "Row") -> str:
    """How far it is to be believed, and how many of its episodes were not verified bit for bit."""
    record = row.entry.record
    return f"{record.tier.value}, {record.by_segments} by segments" if record.by_segments else record.tier.value

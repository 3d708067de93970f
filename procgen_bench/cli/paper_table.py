"""A paper's table that trained policies play: AlphaNPI-X's second."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from procgen_bench.core.extras import import_extra

#: Imagined steps for which a planner is trained that is not given: all programs are learned by then.
_PLANNER_STEPS = 10_000_000


def reproduce_table(
    folder: Path,
    planner: Path | None,
    atomic: str | None,
    model: Path | None,
    rivals: Iterable[Path],
    settings: Mapping[str, Any],
) -> None:
    """Play the table, write it to a folder, and print it.

    Args:
        folder: Where it goes, and where a planner is trained that is not given.
        planner: Folder of a run of ``alphanpi-x``, or of its policy.
        atomic, model: In place of the planner's; ``None``: the planner's own.
        rivals: Run folders of rivals that play beside it.
        settings: Of the table, where they differ from its defaults.
    """
    table = import_extra("procgen_bench.leaderboards.reproduction.alphanpi_x", "baselines", ("torch",))
    others = [table.load_rival(rival) for rival in rivals]
    parts = table.load_parts(planner or trained_planner(folder / "planner"), atomic, model)
    chosen = table.TableSettings(**{name: _frozen(value) for name, value in settings.items()})
    rows = table.play_table(parts, chosen, others)
    numbers = table.write_table(rows, parts, chosen, folder)
    print_table(table.HEADINGS, map(table.cells, rows), numbers)


def print_table(headings: Iterable[str], rows: Iterable[Sequence[str]], numbers: Path) -> None:
    """Print a table that has been written, a text for each heading in every row, and where it lies."""
    from rich.console import Console
    from rich.table import Column, Table

    shown = Table(*(Column(name, no_wrap=True) for name in headings))
    for row in rows:
        shown.add_row(*row)
    Console(markup=False).print(shown)
    typer.echo(f"numbers: {numbers}")


def trained_planner(folder: Path) -> Path:
    """The run in this folder, finished: a planner on the symbolic model."""
    from procgen_bench.core.benchmarks import get_benchmark

    method = import_extra("procgen_bench.baselines.methods.alphanpi_x", "baselines", ("torch",))
    benchmark = get_benchmark("fetch-blocks/groups")
    return method.train(benchmark, method.AlphaNPIXConfiguration(), 0, _PLANNER_STEPS, folder).path


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

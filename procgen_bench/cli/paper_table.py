"""What planners and arms play of a paper: AlphaNPI-X's second table, its first figure and its ninth."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from procgen_bench.cli.tables import Column, print_table
from procgen_bench.core.extras import import_extra
from procgen_bench.core.registrations import environment_type

_REPRODUCTION = "procgen_bench.leaderboards.reproduction.alphanpi_x"
#: Where the planner plays: what that needs is there, or nothing is begun.
_PLAYED = "FetchProgram-v0"
#: Imagined steps for which a planner is trained that is not given: all programs are learned by then.
_PLANNER_STEPS = 10_000_000


def reproduce_table(
    folder: Path,
    planner: Path | None,
    atomic: str | None,
    model: Path | None,
    library: str | None,
    rivals: Iterable[Path],
    settings: Mapping[str, Any],
) -> None:
    """Play the table, write it to a folder, and print it.

    Args:
        folder: Where it goes, and where a planner is trained that is not given.
        planner: Folder of a run of ``alphanpi-x``, or of its policy.
        atomic, model: In place of the planner's; ``None``: the planner's own.
        library: The programs; ``None``: the paper's, for as many blocks as the planner has, or four.
        rivals: Run folders of rivals that play beside it.
        settings: Of the table, where they differ from its defaults.
    """
    environment_type(_PLAYED)
    players, table = (import_extra(f"{_REPRODUCTION}{part}") for part in ("_players", ""))
    others = [players.load_rival(rival) for rival in rivals]
    parts = players.load_parts(planner or trained_planner(folder / "planner", library), atomic, model, library)
    chosen = table.TableSettings(**{name: _frozen(value) for name, value in settings.items()})
    rows = table.play_table(parts, chosen, others)
    numbers = table.write_table(rows, parts, chosen, folder)
    print_numbers(table.HEADINGS, map(table.cells, rows), numbers)


def reproduce_trace(
    folder: Path,
    planner: Path | None,
    atomic: str | None,
    model: Path | None,
    library: str | None,
    settings: Mapping[str, Any],
) -> None:
    """Play one program, and draw its trace beside the film of it; arguments as of :func:`reproduce_table`."""
    environment_type(_PLAYED)
    players = import_extra(f"{_REPRODUCTION}_players")
    trace = import_extra(f"{_REPRODUCTION}_trace")
    drawing = import_extra(f"{_REPRODUCTION}_drawing")
    parts = players.load_parts(planner or trained_planner(folder / "planner", library), atomic, model, library)
    film = trace.film(parts, trace.FilmSettings(**settings))
    for kind, path in zip(("picture", "film", "numbers"), drawing.draw_film(film, folder), strict=True):
        typer.echo(f"{kind}: {path}")


def reproduce_calls(folder: Path, atomic: str | None, settings: Mapping[str, Any]) -> None:
    """Let an arm carry out chains of calls, write what became of them to a folder, and print it.

    Args:
        folder: Where it goes.
        atomic: The arm; ``None``: the package's.
        settings: How many chains, and their seed, where they differ from the defaults.
    """
    environment_type(_PLAYED)
    players = import_extra("procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts")
    calls = import_extra(f"{_REPRODUCTION}_calls")
    arm, chosen = players.atomic_policy_of(atomic or players.LEARNED), calls.ChainSettings(**settings)
    rows = calls.play_chains(arm, chosen)
    print_numbers(calls.HEADINGS, map(calls.cells, rows), calls.write_calls(rows, arm, chosen, folder))


def print_numbers(headings: Iterable[str], rows: Iterable[Sequence[str]], numbers: Path) -> None:
    """Print a table that has been written, a text for each heading in every row, and where it lies."""
    cells = list(rows)
    print_table(Column(name, [row[place] for row in cells]) for place, name in enumerate(headings))
    typer.echo(f"numbers: {numbers}")


def trained_planner(folder: Path, library: str | None) -> Path:
    """The run in this folder, finished: a planner on the symbolic model of a library, by default the method's."""
    from procgen_bench.baselines.method_table import METHODS
    from procgen_bench.core.benchmarks import get_benchmark

    method, benchmark = METHODS["alphanpi-x"], get_benchmark("fetch-blocks/groups")
    configuration = method.configured(benchmark.environment_id, {} if library is None else {"library": library})
    return method.train(benchmark, configuration, 0, _PLANNER_STEPS, folder).path


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

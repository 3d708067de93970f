"""``board``: commands for maintainers of a board."""

from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.cli.chosen_board import BoardOption, chosen_board
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of
from procgen_bench.core.command_line import complete_benchmark
from procgen_bench.core.paths import check_folder

app = typer.Typer(help="Maintain a board: trusted verifiers, traces, boards of the first format.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add ``board`` to the command line."""
    main.add_typer(app, name="board")


@app.command()
def key() -> None:
    """Print the public key of your verifier, by which boards know your signature; it is made on first use."""
    from procgen_bench.leaderboards.board.verifier import own_verifier

    typer.echo(own_verifier().public_key)


@app.command()
def trust(
    public_key: Annotated[str, typer.Argument(metavar="KEY", help="Its public key, as `board key` prints it.")],
    board: BoardOption = None,
) -> None:
    """Let a board trust another verifier: rows that it signed are shown.

    **Examples**

    ```
    procgen-bench board trust "$(procgen-bench board key)" --board my-board
    ```
    """
    from procgen_bench.leaderboards.board.trust import trust as add

    folder = chosen_board(board)
    add(public_key, folder)
    typer.echo(f"{folder} trusts {public_key}")


@app.command()
def rotate(board: BoardOption = None) -> None:
    """Take a new secret for fresh episodes, and publish the old one on the board: now everyone can draw them again."""
    from procgen_bench.leaderboards.board.trust import publish_secret
    from procgen_bench.leaderboards.board.verifier import own_verifier, rotate_secret

    folder = chosen_board(board)
    publish_secret(own_verifier().secret, folder)
    rotate_secret()
    typer.echo(f"{folder} shows the old secret; re-runs draw from a new one")


@app.command()
def traces(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="[BENCHMARK]", help="One benchmark; all by default.", autocompletion=complete_benchmark),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="DIR|URL", help="Copy them from here; by default policies play them again."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Leave out physics, which takes hours and plays differently on other machines."),
    ] = False,
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Bring the traces that a board's entries name but this machine does not have, for a page with replays.

    **Examples**

    ```
    procgen-bench board traces grid-world/graded
    procgen-bench board traces --exact
    procgen-bench board traces --from https://example.org/traces
    ```
    """
    from tqdm import tqdm

    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
    from procgen_bench.leaderboards.board.board import read_entries
    from procgen_bench.leaderboards.board.missing_traces import (
        TracesNotFoundError,
        fetch_traces,
        has_traces,
        regenerate_traces,
    )

    folder = chosen_board(board)
    check_folder(folder)
    benchmarks = [get_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values())
    benchmarks = [one for one in benchmarks if not (exact and one.physics)]
    entries = [entry for one in benchmarks for entry in read_entries(one, folder) if not has_traces(entry)]
    failures = []
    for entry in tqdm(entries, desc="traces", unit="entry", delay=2):
        try:
            if source is None:
                regenerate_traces(entry, workers_of(workers, ray))
            else:
                fetch_traces(entry, source)
        except TracesNotFoundError as error:
            failures.append(str(error))
    for failure in failures:
        typer.echo(failure, err=True)
    typer.echo(f"{len(entries) - len(failures)} of {len(entries)} missing traces brought to {folder}")
    if failures:
        raise typer.Exit(2)


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where run folders lie, at any depth.")],
    board: BoardOption = None,
) -> None:
    """Note the training runs that lie below a folder: a row that enters only some runs of a training has no rank.

    **Examples**

    ```
    procgen-bench board runs docs/results
    procgen-bench board runs my-runs --board my-board
    ```
    """
    from procgen_bench.baselines.training.run_records import find_runs
    from procgen_bench.leaderboards.board.known_runs import KNOWN_RUNS_FILE, add_known_runs

    target = chosen_board(board)
    if not folder.is_dir():
        raise typer.BadParameter(f"{folder} is no folder; expected one with the folders of training runs")
    found, damaged = find_runs(folder)
    for error in damaged:
        typer.echo(str(error), err=True)
    new = add_known_runs([(run.command, run.seed) for run in found], target)
    typer.echo(f"{target / KNOWN_RUNS_FILE}: {new} of {len(found)} runs are new")
    if damaged:
        raise typer.Exit(2)


@app.command()
def ship(board: BoardOption = None) -> None:
    """Write a board's rows to the file that ships in the package, which `leaderboard` shows where there is no checkout.

    **Examples**

    ```
    procgen-bench board ship
    ```
    """
    from procgen_bench.core.atomic import write_bytes
    from procgen_bench.leaderboards.site.shipped_board import SHIPPED_FILE, packed_board

    content = packed_board(chosen_board(board))
    SHIPPED_FILE.parent.mkdir(exist_ok=True)
    write_bytes(SHIPPED_FILE, content)
    typer.echo(f"wrote {SHIPPED_FILE} ({len(content):,} bytes)")


@app.command()
def migrate(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Folder of a board of the first format.")],
    board: Annotated[Path, typer.Option("--board", help="Folder of the new board.", metavar="DIR")],
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Replay every entry of a board of the first format and add it to a new board; the same command continues.

    **Examples**

    ```
    procgen-bench board migrate old-board --board new-board
    ```
    """
    from procgen_bench.leaderboards.board.migration import migrate as move

    for entry in move(old, board, workers_of(workers, ray)):
        typer.echo(f"{entry.benchmark.id}: {entry.metadata.method} enters with {entry.record.score:.4g}")

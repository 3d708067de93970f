"""``board``: commands for those who keep a board, and for those who doubt it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.chosen_board import BoardOption, board_of, chosen_board
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of
from procgen_bench.cli.scoring import MaxSecondsOption, limits_of
from procgen_bench.core.command_line import complete_benchmark

if TYPE_CHECKING:
    from procgen_bench.leaderboards.scoring.epoch import Epoch

RowArgument = Annotated[str, typer.Argument(metavar="ROW", help="BENCHMARK/ENTRY, or an entry's folder.")]

app = typer.Typer(help="Keep a board: audit its rows, begin epochs, train again, review.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add ``board`` to the command line."""
    main.add_typer(app, name="board")


@app.command()
def audit(
    row: RowArgument,
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
    max_seconds: MaxSecondsOption = None,
) -> None:
    """Score a row again and compare its whole record, field by field.

    Exit code 0 if it agrees, 2 and one line if not, 3 if this machine is too slow.

    **Examples**

    ```
    procgen-bench board audit bit-grid/test/sibling-rivalry
    ```
    """
    from procgen_bench.leaderboards.board.auditing import audit as score_again
    from procgen_bench.leaderboards.board.board import find_entry

    entry = find_entry(row, board_of(row, board))
    made = score_again(entry, workers_of(workers, ray), limits_of(max_seconds))
    fresh = f", fresh {made.fresh_scores.mean():.6g}" if made.fresh_scores.size else ""
    provisional = "; provisional until the next epoch" if entry.is_provisional else ""
    typer.echo(f"{entry.row}: suite {made.suite_scores.mean():.6g}{fresh}, as recorded{provisional}")


@app.command()
def epoch(
    beacon: Annotated[
        str | None,
        typer.Option(metavar="CHAIN:ROUND:VALUE", help="A public beacon's round and its value in hexadecimal digits."),
    ] = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Begin none; play the rows that the newest has not played yet.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ROW", help="Play these rows; by default all.")
    ] = None,
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
    max_seconds: MaxSecondsOption = None,
) -> None:
    """Begin an epoch: a new salt, under which all rows are played again; their former records are archived.

    The salt follows from a public beacon's value, or is drawn here. Stopped, it goes on with `--continue`.

    **Examples**

    ```
    procgen-bench board epoch --board my-board
    procgen-bench board epoch --beacon quicknet:4242424:00f3a1c2d4e5b6978812345678abcdef
    procgen-bench board epoch --continue
    ```
    """
    from procgen_bench.core.errors import ProcgenBenchError
    from procgen_bench.leaderboards.board.beginning import begin_epoch, play_rows, row_folders
    from procgen_bench.leaderboards.board.board import find_row
    from procgen_bench.leaderboards.scoring.epoch import read_epochs

    folder = chosen_board(board, must_exist=True)
    rows = [find_row(row, folder)[0] for row in only] if only else row_folders(folder)
    if not go_on:
        begun = begin_epoch(folder, _beacon(beacon))
        typer.echo(f"epoch {begun.number} began on {begun.began}: salt {begun.salt}")
    elif not read_epochs(folder):
        raise typer.BadParameter(f"--continue: {folder} has no epoch; leave --continue out to begin one")
    failures = 0
    for played in play_rows(folder, rows, limits_of(max_seconds), workers_of(workers, ray)):
        if played.record is None:
            failures += 1
            typer.echo(f"{played.row} is provisional: {played.fault}", err=True)
            continue
        fresh = played.record.fresh_scores
        beside = f", fresh {fresh.mean():.4g}" if fresh.size else ""
        typer.echo(f"{played.row}: suite {played.record.suite_scores.mean():.4g}{beside}")
    if failures:
        raise ProcgenBenchError(f"{failures} rows were not played; `procgen-bench board epoch --continue` tries again")


def _beacon(text: str | None):
    from procgen_bench.leaderboards.scoring.epoch import Beacon
    from procgen_bench.leaderboards.submission.strict_json import validated

    if text is None:
        return None
    chain, _, rest = text.partition(":")
    number, _, value = rest.partition(":")
    if not number.isdecimal():
        raise typer.BadParameter(f"--beacon is {text!r}, expected CHAIN:ROUND:VALUE")
    return validated(Beacon, {"chain": chain, "round": int(number), "value": value}, "--beacon")


@app.command()
def carry(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="[BENCHMARK]", help="One benchmark; all by default.", autocompletion=complete_benchmark),
    ] = None,
    board: BoardOption = None,
) -> None:
    """Carry rows of benchmarks' former versions over to the present ones; `board epoch` scores them there.

    **Examples**

    ```
    procgen-bench board carry bit-grid/test
    ```
    """
    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
    from procgen_bench.leaderboards.board.carrying import carry_rows

    folder = chosen_board(board, must_exist=True)
    for one in [get_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values()):
        for name in carry_rows(one, folder):
            typer.echo(f"{one.id}/{name} is of v{one.version} now, and waits to be played")


@app.command()
def retrain(
    row: RowArgument,
    seed: Annotated[int, typer.Option(min=0, help="Training seed of the run.")],
    checkout: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A checkout at the training's commit; by default this one.")
    ] = None,
    board: BoardOption = None,
) -> None:
    """Run a row's training command again, at its commit, and compare the policy: its bytes, elsewhere its score.

    If it agrees, the row is marked "training reproduced". Exit code 3: the checkout is at another commit.

    **Examples**

    ```
    procgen-bench board retrain grid-world/target-b/dqn --seed 0
    ```
    """
    from procgen_bench.leaderboards.board.board import find_entry
    from procgen_bench.leaderboards.board.retraining import retrain as train_again

    entry = find_entry(row, board_of(row, board))
    found = train_again(entry, seed, checkout or Path(__file__).resolve().parents[2])
    same = "the same bytes" if found.by == "bytes" else "the same score, on another kind of machine"
    typer.echo(f"{entry.row}: training of seed {seed} reproduced: {same}")


@app.command()
def review(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The commit that a change sets out from.")],
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The commit that it ends with.")],
    repository: Annotated[Path, typer.Option("--repository", metavar="DIR", help="Where both are.")] = Path("."),
    workers: WorkersOption = None,
) -> None:
    """Review what a pull request changes of the board, without checking it out: score its rows and compare.

    A change of the board and of anything else at once is refused.

    **Examples**

    ```
    procgen-bench board review origin/main pull-request
    ```
    """
    from procgen_bench.leaderboards.board.reviewing import review as score_again
    from procgen_bench.leaderboards.scoring.epoch import Epoch

    reviewed = 0
    for one in score_again(repository, base, head, workers_of(workers, None)):
        reviewed += 1
        if isinstance(one, Epoch):
            typer.echo(f"epoch {one.number} begins on {one.began}: {_origin(one)}")
            continue
        typer.echo(f"{one.row}: as recorded" + ("; provisional until the next epoch" if one.is_provisional else ""))
    if not reviewed:
        typer.echo("no row of the board changes")


def _origin(epoch: "Epoch") -> str:
    """Where its salt comes from, for people to compare."""
    if epoch.beacon is None:
        return "its salt was drawn, and may have been drawn again: merge it only from a keeper"
    return f"compare round {epoch.beacon.round} of {epoch.beacon.chain}: {epoch.beacon.value}"


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

    content = packed_board(chosen_board(board, must_exist=True))
    SHIPPED_FILE.parent.mkdir(exist_ok=True)
    write_bytes(SHIPPED_FILE, content)
    typer.echo(f"wrote {SHIPPED_FILE} ({len(content):,} bytes)")

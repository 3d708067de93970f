"""``board``: commands for maintainers of a board."""

from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.cli.audits import audit_row
from procgen_bench.cli.chosen_board import BoardOption, chosen_board
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of
from procgen_bench.core.command_line import complete_benchmark
from procgen_bench.core.paths import check_folder

BenchmarkArgument = Annotated[
    str | None,
    typer.Argument(metavar="[BENCHMARK]", help="One benchmark; all by default.", autocompletion=complete_benchmark),
]

app = typer.Typer(
    help="Keep a board: its root of trust, its verifiers, its traces; audit and renew its rows.", no_args_is_help=True
)

RootOption = Annotated[
    Path | None, typer.Option("--root", metavar="FILE", help="The private root key; by default your own.")
]
KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="A public key, as `board key` prints it.")]


def register(main: typer.Typer) -> None:
    """Add ``board`` to the command line."""
    main.add_typer(app, name="board")


@app.command()
def key(
    root: Annotated[
        bool, typer.Option("--root", help="That of your root key, by which boards of yours trust.")
    ] = False,
) -> None:
    """Print the public key of your verifier, by which boards know your signature; it is made on first use."""
    from procgen_bench.leaderboards.board.verifier import own_root, own_verifier, public_key_of

    typer.echo(public_key_of(own_root()) if root else own_verifier().public_key)


@app.command()
def trust(board: BoardOption = None) -> None:
    """Show whom a board trusts: who, for which tracks, from when until when, and whose rows everybody can audit.

    **Examples**

    ```
    procgen-bench board trust
    ```
    """
    from procgen_bench.leaderboards.board.trust import read_trust

    folder = chosen_board(board, must_exist=True)
    trusted = read_trust(folder)
    if trusted.file is None:
        raise typer.BadParameter(f"{folder} has no root of trust; `procgen-bench submit` makes a board with one")
    typer.echo(f"root {trusted.file.root}")
    for one in trusted.file.certificates:
        typer.echo(f"{one.holder}: {one.key}, {', '.join(one.tracks)}, {one.first} to {one.last}")
    for revoked in trusted.file.revocations:
        typer.echo(f"revoked since {revoked.since}: {revoked.key} ({revoked.reason})")
    for made in trusted.file.commitments:
        state = "published" if made.secret in trusted.secrets else "in use"
        typer.echo(f"fresh episodes from {made.since}: secret {made.secret[:16]}... of {made.key[:16]}..., {state}")
    typer.echo(f"{len(trusted.older)} records of older roots are shown, without a rank")


@app.command()
def certify(
    public_key: KeyArgument,
    holder: Annotated[str, typer.Option("--holder", help="Who has the key.")],
    days: Annotated[int, typer.Option("--days", min=1, help="For how many days, from today.")] = 365,
    track: Annotated[
        list[str] | None, typer.Option("--track", help="A track it may verify, repeated; all by default.")
    ] = None,
    root: RootOption = None,
    board: BoardOption = None,
) -> None:
    """Certify a verifier's key under a board's root key: rows that it signs are shown.

    **Examples**

    ```
    procgen-bench board certify "$(procgen-bench board key)" --holder "A. Keeper" --days 90 --track grid-world
    ```
    """
    import datetime

    from procgen_bench.leaderboards.board.submitting import today
    from procgen_bench.leaderboards.board.trust import EVERY_TRACK
    from procgen_bench.leaderboards.board.trust import certify as sign
    from procgen_bench.leaderboards.board.verifier import own_root

    first = today()
    last = (datetime.date.fromisoformat(first) + datetime.timedelta(days=days)).isoformat()
    made = sign(public_key, holder, track or [EVERY_TRACK], (first, last), own_root(root), chosen_board(board))
    typer.echo(f"{made.holder} may verify {', '.join(made.tracks)} from {made.first} to {made.last}")


@app.command()
def revoke(
    public_key: KeyArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    since: Annotated[
        str | None, typer.Option("--since", metavar="DAY", help="First day whose rows are not believed; today.")
    ] = None,
    root: RootOption = None,
    board: BoardOption = None,
) -> None:
    """Revoke a verifier's key under a board's root key: rows that it signed since a day are left out.

    **Examples**

    ```
    procgen-bench board revoke KEY --since 2026-01-01 --reason "the key was stolen"
    ```
    """
    from procgen_bench.leaderboards.board.submitting import today
    from procgen_bench.leaderboards.board.trust import revoke as sign
    from procgen_bench.leaderboards.board.verifier import own_root

    folder, day = chosen_board(board), since or today()
    sign(public_key, day, reason, own_root(root), folder)
    typer.echo(f"{folder} believes nothing that {public_key[:16]}... signed since {day}")


@app.command()
def keep(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Entries' folders.", exists=True, file_okay=False)
    ],
    root: RootOption = None,
    board: BoardOption = None,
) -> None:
    """Show rows as they are that were verified under an older root: without a rank, by a list that the root key signs.

    **Examples**

    ```
    procgen-bench board keep leaderboards/results/xland/small/v2/*
    ```
    """
    from procgen_bench.leaderboards.board.record import MAX_RECORD_BYTES, RECORD_FILE
    from procgen_bench.leaderboards.board.trust import keep_older
    from procgen_bench.leaderboards.board.verifier import own_root
    from procgen_bench.leaderboards.submission.plain_folder import read_plain_file

    records = [read_plain_file(folder / RECORD_FILE, MAX_RECORD_BYTES) for folder in folders]
    keep_older(records, own_root(root), chosen_board(board))
    typer.echo(f"{len(records)} rows are shown without a rank until `procgen-bench board reverify` plays them")


@app.command()
def rotate(board: BoardOption = None) -> None:
    """Take a new secret for fresh episodes, commit to it, and publish the old one: now everyone can audit its rows."""
    from procgen_bench.leaderboards.board.submitting import today
    from procgen_bench.leaderboards.board.trust import certified, commit, read_trust
    from procgen_bench.leaderboards.board.verifier import own_verifier, rotate_secret
    from procgen_bench.leaderboards.rerun.fresh_episodes import commitment

    folder, verifier = chosen_board(board), own_verifier()
    if read_trust(folder).committed(verifier.public_key, commitment(verifier.secret), today()):
        published = rotate_secret()
        commit(own_verifier(), folder, today(), published)
        typer.echo(f"{folder} shows the old secret; re-runs draw from a new one")
    else:  # it has never been used here
        certified(verifier, folder, today())
        commit(verifier, folder, today())
        typer.echo(f"{folder} knows of the secret that re-runs draw from")


@app.command()
def audit(
    row: Annotated[str, typer.Argument(metavar="ROW", help="BENCHMARK/ENTRY, or an entry's folder.")],
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Play a row's policies again, on the suite and on its fresh episodes, by public values alone.

    Exit code 0 if it comes out as its record says, 2 and one line if not.

    **Examples**

    ```
    procgen-bench board audit bit-grid/test/sibling-rivalry
    ```
    """
    audit_row(row, chosen_board(board, must_exist=True), workers_of(workers, ray))


@app.command()
def reverify(
    benchmark: BenchmarkArgument = None,
    older: Annotated[
        bool, typer.Option("--older", help="Only rows of an older root, or signed by a revoked key.")
    ] = False,
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Verify rows again whose policies the board has, and sign what they score by your key; `--older` continues.

    **Examples**

    ```
    procgen-bench board reverify --older
    procgen-bench board reverify bit-grid/test
    ```
    """
    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
    from procgen_bench.core.errors import ProcgenBenchError
    from procgen_bench.leaderboards.board.board import read_entries
    from procgen_bench.leaderboards.board.reverifying import reverify as play

    folder, failures = chosen_board(board, must_exist=True), 0
    for one in [get_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values()):
        if not one.has_fresh_tasks:
            continue
        entries = [entry for entry in read_entries(one, folder) if entry.metadata.policies]
        for entry in sorted(entries, key=lambda entry: (entry.record.submitted_on, entry.name)):
            if older and not entry.is_older:
                continue
            before, row = entry.record, f"{one.id}/{entry.name}"
            try:
                after = play(entry, workers_of(workers, ray)).record
            except ProcgenBenchError as error:
                failures += 1
                typer.echo(f"{row} falls: {error}", err=True)
                continue
            assert after.fresh is not None
            fresh = "none" if before.fresh is None else f"{before.fresh.score:.4g}"
            typer.echo(
                f"{row}: suite {before.score:.4g}, now {after.score:.4g}; fresh {fresh}, now {after.fresh.score:.4g} "
                f"({after.fresh.episodes} episodes, {after.fresh.seconds:.1f} s)"
            )
    if failures:
        raise typer.Exit(2)


@app.command()
def review(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The commit that a change sets out from.")],
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The commit that it ends with.")],
    repository: Annotated[Path, typer.Option("--repository", metavar="DIR", help="Where both are.")] = Path("."),
    workers: WorkersOption = None,
) -> None:
    """Review what a pull request changes of the board, without checking it out.

    A proposal is verified. Results are held against the root of trust, and their rows played again. A change of the
    board and of anything else at once is refused.

    **Examples**

    ```
    procgen-bench board review origin/main pull-request
    ```
    """
    from procgen_bench.cli.submissions import verify
    from procgen_bench.leaderboards.board.reviewing import read_change, review_results, taken_out

    change = read_change(repository, base, head)
    for proposal in change.proposals:
        typer.echo(f"== {proposal}")
        with taken_out(repository, head, proposal) as folder:
            verify(folder, workers)
    if change.entries or change.others:
        for entry in review_results(repository, base, head, change):
            typer.echo(f"== {entry.metadata.benchmark}/{entry.name}: as a certified verifier signed it")
    if not (change.proposals or change.entries or change.others):
        typer.echo("nothing of the board changes")


@app.command()
def traces(
    benchmark: BenchmarkArgument = None,
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
    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
    from procgen_bench.core.progress import Progress
    from procgen_bench.leaderboards.board.board import read_entries
    from procgen_bench.leaderboards.board.missing_traces import (
        TracesNotFoundError,
        fetch_traces,
        has_traces,
        regenerate_traces,
    )

    folder = chosen_board(board, must_exist=True)
    check_folder(folder)
    benchmarks = [get_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values())
    benchmarks = [one for one in benchmarks if not (exact and one.physics)]
    entries = [entry for one in benchmarks for entry in read_entries(one, folder) if not has_traces(entry)]
    failures = []
    for entry in Progress(entries, desc="traces", unit="entry", delay=2):
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
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Where run folders lie, at any depth.", exists=True, file_okay=False),
    ],
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

    content = packed_board(chosen_board(board, must_exist=True))
    SHIPPED_FILE.parent.mkdir(exist_ok=True)
    write_bytes(SHIPPED_FILE, content)
    typer.echo(f"wrote {SHIPPED_FILE} ({len(content):,} bytes)")

"""``leaderboard``: a board's tables, printed or as a site."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.board_tables import board_rows, in_words, print_board
from procgen_bench.cli.chosen_board import BoardOption
from procgen_bench.cli.parallel import WorkersOption, workers_of
from procgen_bench.cli.tables import csv_of
from procgen_bench.core.command_line import complete_benchmark
from procgen_bench.core.extras import import_extra

if TYPE_CHECKING:
    from procgen_bench.core.benchmark import Benchmark


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(leaderboard)


def leaderboard(
    benchmark: Annotated[
        str | None,
        typer.Argument(
            metavar="[BENCHMARK]",
            help="One benchmark; all by default.",
            show_default=False,
            autocompletion=complete_benchmark,
        ),
    ] = None,
    board: BoardOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="DIR", help="Write the board as a static site to this folder.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="BENCHMARK",
            help="With --html: write this benchmark's pages and keep all others as they are; repeat it for several.",
            autocompletion=complete_benchmark,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all rows as one JSON document.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all rows as one CSV table.")] = False,
    words: Annotated[
        bool, typer.Option("--in-words", help="Print one sentence for each benchmark instead of its table.")
    ] = False,
    normaliser: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="VERSION",
            help="Show how BENCHMARK's rows stand under this version of its normaliser; by default the present one.",
        ),
    ] = None,
    workers: WorkersOption = None,
) -> None:
    """Print the tables of a board, or write them as a site.

    A site that is there is written again in a moment: what has not changed is taken over.

    **Examples**

    ```
    procgen-bench leaderboard
    procgen-bench leaderboard grid-world/graded --board my-board
    procgen-bench leaderboard grid-world/graded --in-words
    procgen-bench leaderboard xland/mini --normaliser 2
    procgen-bench leaderboard --json > board.json
    procgen-bench leaderboard --csv > board.csv
    procgen-bench leaderboard --board my-board --html site
    procgen-bench leaderboard --board my-board --html site --only grid-world/graded
    ```
    """
    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
    from procgen_bench.leaderboards.board.board import published_board

    board = board or published_board()
    if board is None and (html is not None or normaliser is not None):
        raise typer.BadParameter(
            "this needs a board's entries, and this is no checkout with a board; name one: --board DIR"
        )
    if board is not None and not board.is_dir():
        raise typer.BadParameter(f"{board} is no folder; `procgen-bench submit SUBMISSION --board {board}` makes it")
    if only and html is None:
        raise typer.BadParameter("--only says which pages of a site are written: give the site by --html, too")
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv are two forms of the same rows; give one of them")
    if html is not None and (benchmark is not None or as_json or as_csv):
        raise typer.BadParameter("--html writes all tables, and board.json beside them; for one benchmark give --only")
    if normaliser is not None and benchmark is None:
        raise typer.BadParameter("--normaliser is a version of one benchmark's: name the benchmark, too")
    chosen = [get_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values())
    if normaliser is not None:
        chosen = [_under(chosen[0], normaliser)]
    if html is not None and board is not None:
        page = import_extra("procgen_bench.leaderboards.site.page")
        written = [get_benchmark(name) for name in only or ()]
        page.write_site(board, html, written, workers_of(workers, None))
        typer.echo(f"wrote {html}")
    else:
        _print(chosen, board, as_json, as_csv, words)


def _under(benchmark: "Benchmark", normaliser: int) -> "Benchmark":
    """The benchmark with another normaliser, which must be there even where there are no rows."""
    from procgen_bench.leaderboards.xland.normalisers import load_normaliser

    load_normaliser(benchmark.id, normaliser)
    return replace(benchmark, normaliser=normaliser)


def _print(benchmarks: list["Benchmark"], board: Path | None, as_json: bool, as_csv: bool, words: bool) -> None:
    """Print the rows of a board, or of the one that the package ships."""
    from procgen_bench.core.progress import Progress
    from procgen_bench.leaderboards.site.board_snapshot import BoardSnapshot
    from procgen_bench.leaderboards.site.feed import benchmark_feed, board_feed
    from procgen_bench.leaderboards.site.shipped_board import newest_epoch, shipped_board

    if board is None:
        shipped = shipped_board()
        names = [benchmark.id for benchmark in benchmarks]
        feeds = [feed for feed in shipped if feed["benchmark"] in names]
        typer.echo(f"the board that ships in this package: its newest epoch is {newest_epoch(shipped)}", err=True)
    else:
        reading = Progress(benchmarks, desc="statistics", unit="benchmark", delay=2, leave=False)
        feeds = [benchmark_feed(BoardSnapshot(benchmark, board).section()) for benchmark in reading]
    if as_json:
        typer.echo(board_feed(feeds), nl=False)
    elif as_csv:
        typer.echo(csv_of(board_rows(feeds)), nl=False)
    elif words:
        for feed in feeds:
            typer.echo(in_words(feed))
    else:
        print_board(feeds)

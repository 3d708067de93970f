"""``evaluate``, ``verify``, ``submit`` and ``leaderboard``: from a policy to a row that everyone can replay."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from procgen_bench.benchmark import Benchmark
    from procgen_bench.leaderboards.statistics import Estimate
    from procgen_bench.leaderboards.table import Row
    from procgen_bench.leaderboards.verification import Verification

BoardOption = Annotated[
    Path | None, typer.Option("--board", help="Folder of the board; the package's own by default.", metavar="DIR")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Processes that play physics tracks; as many as processors by default."
    ),
]
SubmissionArgument = Annotated[Path, typer.Argument(metavar="SUBMISSION", help="Folder of the submission.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    for command in (evaluate, verify, submit, leaderboard):
        app.command()(command)


def evaluate(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="For example `grid-world/graded`.")],
    policy: Annotated[
        list[str], typer.Option(metavar="FOLDER|NAME", help="A policy's folder or name; repeat it for several runs.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="SUBMISSION", help="Folder to write; must not exist.")],
    method: Annotated[
        str | None, typer.Option(help="Name of the method on the board; by default as the policy says.")
    ] = None,
    authors: Annotated[str, typer.Option(help="Who submits it.")] = "anonymous",
    link: Annotated[str | None, typer.Option(help="http(s) address of a paper or of code.")] = None,
    seed: Annotated[
        list[int] | None, typer.Option(min=0, help="Training seed of each policy, in turn; 0, 1, 2 ... by default.")
    ] = None,
    training_steps: Annotated[
        int | None,
        typer.Option(min=0, help="Environment steps of one run's training; by default as the policies record them."),
    ] = None,
    notes: Annotated[str, typer.Option(help="Anything else that readers should know.")] = "",
    workers: WorkersOption = None,
) -> None:
    """Play a benchmark with a policy of each run and record a submission.

    A physics track's episodes are kept in `SUBMISSION.unfinished` while it is played: the same command goes on where it
    was stopped.

    **Examples**

    ```
    procgen-bench evaluate grid-world/graded --policy random -o submissions/random
    procgen-bench evaluate grid-world/target-a --policy runs/1/policy --policy runs/2/policy \\
        --seed 1 --seed 2 --method DQN --authors "A. Author" -o submissions/dqn
    ```
    """
    from procgen_bench.benchmark import find_benchmark
    from procgen_bench.leaderboards.evaluation import MethodDescription
    from procgen_bench.leaderboards.evaluation import evaluate as play
    from procgen_bench.processors import available_processors

    seeds = seed or list(range(len(policy)))
    if len(seeds) != len(policy):
        raise typer.BadParameter(f"--seed is given {len(seeds)} times, expected once per --policy ({len(policy)})")
    description = MethodDescription(
        method=method,
        authors=authors,
        command=shlex.join(["procgen-bench", *sys.argv[1:]]),
        link=link,
        training_steps=training_steps,
        notes=notes,
    )
    runs, workers = list(zip(policy, seeds)), workers or available_processors()
    evaluation = play(find_benchmark(benchmark), runs, out, description, show_progress=True, workers=workers)
    for warning in evaluation.warnings:
        typer.echo(f"warning: {warning}", err=True)
    _tell_score(evaluation.submission.benchmark, evaluation.verification)
    typer.echo(f"wrote {out}")


def verify(submission: SubmissionArgument, workers: WorkersOption = None) -> None:
    """Replay a submission: exit code 0 and its score if every claim holds, 2 and one line if not.

    Exit code 3 and one line: unverifiable here, since the physics comes out otherwise on this machine.

    **Examples**

    ```
    procgen-bench verify submissions/dqn
    ```
    """
    from procgen_bench.leaderboards.submission import read_submission
    from procgen_bench.leaderboards.verification import verify as replay
    from procgen_bench.processors import available_processors

    read = read_submission(submission)
    _tell_score(read.benchmark, replay(read, "replaying", workers or available_processors()))
    typer.echo("verified: the replay gives what the submission claims")


def submit(submission: SubmissionArgument, board: BoardOption = None, workers: WorkersOption = None) -> None:
    """Verify a submission by replay and add it to a board; exit codes as of `verify`.

    **Examples**

    ```
    procgen-bench submit submissions/dqn
    procgen-bench submit submissions/dqn --board my-board
    ```
    """
    from procgen_bench.leaderboards.board import default_board
    from procgen_bench.leaderboards.board import submit as add
    from procgen_bench.processors import available_processors

    board = board or default_board()
    entry = add(submission, board, progress="replaying", workers=workers or available_processors())
    typer.echo(f"{entry.benchmark.id}: {entry.metadata.method} enters with {entry.record.score:.4g}")
    typer.echo(f"wrote {entry.folder}")


def leaderboard(
    benchmark: Annotated[
        str | None, typer.Argument(metavar="[BENCHMARK]", help="One benchmark; all by default.", show_default=False)
    ] = None,
    board: BoardOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="DIR", help="Write the board as a static site to this folder.")
    ] = None,
) -> None:
    """Print the tables of a board, or write them as a site.

    **Examples**

    ```
    procgen-bench leaderboard
    procgen-bench leaderboard grid-world/graded --board my-board
    procgen-bench leaderboard --board my-board --html site
    ```
    """
    from procgen_bench.benchmark import find_benchmark
    from procgen_bench.leaderboards.benchmarks import BENCHMARKS
    from procgen_bench.leaderboards.board import default_board

    board = board or default_board()
    if not board.is_dir():
        raise typer.BadParameter(f"{board} is no folder; `procgen-bench submit SUBMISSION --board {board}` makes it")
    if html is not None:
        from procgen_bench.leaderboards.page import write_site

        write_site(board, html)
        typer.echo(f"wrote {html}")
        return
    _print_tables([find_benchmark(benchmark)] if benchmark else list(BENCHMARKS.values()), board)


def _print_tables(benchmarks: list["Benchmark"], board: Path) -> None:
    from rich.console import Console
    from tqdm import tqdm

    from procgen_bench.leaderboards.table import read_table

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

    table = Table(
        title=Text(f"{benchmark.id} v{benchmark.version}"),
        caption=Text(f"{benchmark.description} Best possible: {benchmark.maximum:g}. Intervals: 95 %."),
    )
    for column in ("rank", "method", "tier", benchmark.metric, "IQM", "runs", "training steps"):
        table.add_column(column, justify="left" if column in ("method", "tier") else "right", min_width=len(column))
    for row in rows:
        metadata, summary = row.entry.metadata, row.summary
        table.add_row(
            "oracle" if row.rank is None else str(row.rank),
            Text(metadata.method),
            row.entry.record.tier.value,
            _interval(summary.mean),
            f"{summary.interquartile_mean.value:.3f}",
            str(len(metadata.runs)),
            f"{metadata.training_steps:,}",
        )
    return table


def _interval(estimate: "Estimate") -> str:
    if estimate.low is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def _tell_score(benchmark: "Benchmark", verification: "Verification") -> None:
    runs, tasks = verification.scores.shape
    typer.echo(
        f"{benchmark.id} v{benchmark.version}: {benchmark.metric} {verification.score:.6g} "
        f"({runs} runs x {tasks} tasks x {benchmark.episodes_per_task} episodes)"
    )
    if verification.unfinished_episodes:
        typer.echo(
            f"warning: {verification.unfinished_episodes} unfinished episodes score the minimum, {benchmark.minimum:g}",
            err=True,
        )

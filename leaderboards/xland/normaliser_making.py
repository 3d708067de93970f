"""Make a normaliser: play its players through a benchmark, and freeze what they get.

``python -m procgen_bench.leaderboards.xland.normaliser_making xland/mini --submissions DIR`` plays every player whose
submission is not in DIR yet, and then writes the file. Submissions are those of ``procgen-bench evaluate``: played in
pieces by as many processes as there are processors, so that the same call goes on where it was stopped, and ready to be
submitted as rows.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from procgen_bench.baselines.policies.loading import policy_hash
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.command_line import complete_benchmark, run
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.xland.evaluation_tasks import benchmark_tasks
from procgen_bench.leaderboards.xland.normalisers import (
    FOLDER,
    Normaliser,
    frozen,
    published_versions,
    write_normaliser,
)
from procgen_bench.leaderboards.xland.returns import ReturnTable

#: The policies of a first version, unless others are named: the seven co-players of the evaluation, each as player 1.
PLAYERS = ("noop", "random", "xland-clumsy", "xland-steady", "xland-swift", "xland-contrary", "xland-hunter")
_AUTHORS = "procgen_bench"

app = typer.Typer(add_completion=False)


def made_normaliser(
    benchmark: Benchmark,
    version: int,
    submissions: Path,
    players: Sequence[str] = PLAYERS,
    workers: Workers = None,
    show_progress: bool = False,
) -> Normaliser:
    """The normaliser of these players on a benchmark.

    Args:
        benchmark: The benchmark.
        version: The normaliser's.
        submissions: Folder that holds a submission for every player, by its name; those that are missing are made.
        players: Names of scripted policies.
        workers: Who plays.
        show_progress: Whether progress bars are shown.

    Raises:
        InvalidSubmissionError: One that is there is no submission, or one of another policy or benchmark.
        UnfinishedEvaluationError, IrreproducibleEpisodeError: As :func:`~..evaluation.evaluation.evaluate`.
    """
    for player in players:
        if not (submissions / player).exists():
            _play(benchmark, player, submissions / player, workers, show_progress)
    returns = [_returns(benchmark, player, read_submission(submissions / player, ANY_STEPS)) for player in players]
    tasks = benchmark_tasks(benchmark.task_suite())
    return frozen(benchmark.id, version, ReturnTable(tuple(players), tasks, np.stack(returns)))


def _play(benchmark: Benchmark, player: str, folder: Path, workers: Workers, show_progress: bool) -> None:
    command = ["procgen-bench", "evaluate", benchmark.id, "--policy", player, "-o", str(folder), "--authors", _AUTHORS]
    description = MethodDescription(authors=_AUTHORS, command=shlex.join(command))
    evaluate(benchmark, [(player, 0)], folder, description, show_progress, workers)


def _returns(benchmark: Benchmark, player: str, submission: Submission) -> np.ndarray:
    """The player's mean return on every task, float64 (T,)."""
    metadata = submission.metadata
    if metadata.benchmark != benchmark.id:
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", metadata.benchmark, benchmark.id)
    wanted, found = [policy_hash(player, benchmark.environment_id)], [run.policy_hash for run in metadata.runs]
    if found != wanted:
        raise InvalidSubmissionError(METADATA_FILE, "policy hashes", found, f"that of {player} alone")
    traces = submission.traces
    return np.bincount(traces.tasks, traces.scores) / np.bincount(traces.tasks)


@app.command()
def make(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="For example `xland/mini`.", autocompletion=complete_benchmark)
    ],
    submissions: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the players' submissions, read or written.")
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Policy whose returns count; may be repeated; by default the seven co-players."
        ),
    ] = None,
    version: Annotated[
        int | None, typer.Option(min=1, help="Version of the normaliser; by default the next one.")
    ] = None,
    folder: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the file goes.")] = FOLDER,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one per processor.")] = None,
) -> None:
    """Play what is missing, write the normaliser, and print its checksum."""
    number = version or max(published_versions(benchmark), default=0) + 1
    played = get_benchmark(benchmark)
    normaliser = made_normaliser(played, number, submissions, player or PLAYERS, workers, show_progress=True)
    typer.echo(f'("{benchmark}", {number}): "{write_normaliser(normaliser, folder)}",')
    counted = len(normaliser.values) - len(normaliser.unrewarded)
    typer.echo(f"{counted} games count; in {len(normaliser.unrewarded)} some co-player leaves all players unrewarded")


if __name__ == "__main__":
    run(app, "normaliser_making")

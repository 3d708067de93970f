"""Make a normaliser: play its players through a benchmark, and freeze what they get.

``python -m procgen_bench.leaderboards.xland.normaliser_making xland/mini --submissions DIR`` plays every player whose
submission is not in DIR yet, and then writes the file. Submissions are those of ``procgen-bench evaluate``: played in
pieces by as many processes as there are processors, so that the same call goes on where it was stopped, and ready to be
submitted as rows.

A normaliser grows with its players, as in the paper by the agents of each generation: ``--grow 3 --player
second=runs/generations/2/policy`` makes a further version, of version 3's players, who are not played again, and of
this one.
"""

import io
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.command_line import complete_benchmark, run
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.plain_array import MAX_HEADER_BYTES, parse_array
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import benchmark_tasks
from procgen_bench.leaderboards.xland.normalisers import (
    FOLDER,
    Normaliser,
    frozen,
    load_normaliser,
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
    earlier: Normaliser | None = None,
) -> Normaliser:
    """The normaliser of these players on a benchmark.

    Args:
        benchmark: The benchmark.
        version: The normaliser's.
        submissions: Folder that holds what every player earned, by its name; what is missing is played, and its
            submission is kept beside it.
        players: Names of policies, or ``NAME=POLICY``, where the policy is a folder.
        workers: Who plays.
        show_progress: Whether progress bars are shown.
        earlier: One of the same tasks, whose players count, too, as they played then.

    Raises:
        InvalidReturnsError: A player is one of the earlier ones.
        InvalidSubmissionError: A file that is there does not hold a return for every task.
        UnfinishedEvaluationError, IrreproducibleEpisodeError: As :func:`~..evaluation.evaluation.evaluate`.
    """
    tasks = benchmark_tasks(benchmark.task_suite())
    names, returns = [], []
    if earlier is not None:
        if earlier.table.tasks != tasks:
            raise InvalidReturnsError(
                "normaliser to grow", f"version {earlier.version}", f"one of the tasks that {benchmark.id} has today"
            )
        names, returns = [*earlier.table.policies], [*earlier.table.returns]
    for player in players:
        name, _, policy = player.partition("=")
        path = submissions / f"{name}.npy"
        if not path.exists():
            _play(benchmark, policy or name, path, workers, show_progress)
        names.append(name)
        returns.append(_returns(benchmark, path))
    return frozen(benchmark.id, version, ReturnTable(tuple(names), tasks, np.stack(returns)))


def _play(benchmark: Benchmark, policy: str, path: Path, workers: Workers, show_progress: bool) -> None:
    """Play a player's submission, and write what it earns on every task to ``path``."""
    folder = path.with_suffix("")
    command = ["procgen-bench", "evaluate", benchmark.id, "--policy", policy, "-o", str(folder), "--authors", _AUTHORS]
    description = MethodDescription(authors=_AUTHORS, command=shlex.join(command))
    played = evaluate(benchmark, [(policy, 0)], folder, description, show_progress, workers)
    content = io.BytesIO()
    np.save(content, played.verification.scores[0], allow_pickle=False)
    write_bytes(path, content.getvalue())


def _returns(benchmark: Benchmark, path: Path) -> np.ndarray:
    """A player's mean return on every task, float64 (T,)."""
    tasks = len(benchmark.task_suite())
    raw = read_plain_file(path, tasks * 8 + MAX_HEADER_BYTES)
    return parse_array(raw, np.dtype(np.float64), (tasks,), path.name)


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
            metavar="NAME[=POLICY]",
            help="Policy whose returns count; may be repeated; by default the seven co-players.",
        ),
    ] = None,
    grow: Annotated[
        int | None,
        typer.Option(metavar="VERSION", help="Normaliser whose players count, too, as they played then."),
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
    earlier = None if grow is None else load_normaliser(benchmark, grow)
    normaliser = made_normaliser(played, number, submissions, player or PLAYERS, workers, True, earlier)
    typer.echo(f'("{benchmark}", {number}): "{write_normaliser(normaliser, folder)}",')
    counted = len(normaliser.values) - len(normaliser.unrewarded)
    typer.echo(f"{counted} games count; in {len(normaliser.unrewarded)} some co-player leaves all players unrewarded")


if __name__ == "__main__":
    run(app, "normaliser_making")

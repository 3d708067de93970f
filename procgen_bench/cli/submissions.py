"""``evaluate`` and ``submit``: from a policy to a row that anyone can score again."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.cli.chosen_board import BoardOption, chosen_board
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of
from procgen_bench.cli.scoring import MaxSecondsOption, limits_of
from procgen_bench.core.command_line import complete_benchmark, completion

if TYPE_CHECKING:
    from procgen_bench.core.benchmark import Benchmark
    from procgen_bench.leaderboards.verification.verification import Verification

MaxStepsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Steps of recorded actions that are replayed; by default 50 million, or one whole run."),
]
SubmissionArgument = Annotated[Path, typer.Argument(metavar="SUBMISSION", help="Folder of the submission.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    for command in (evaluate, submit):
        app.command()(command)


def evaluate(
    benchmark: Annotated[
        str,
        typer.Argument(metavar="BENCHMARK", help="For example `grid-world/graded`.", autocompletion=complete_benchmark),
    ],
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="FOLDER|FILE.onnx|NAME|MODULE:CLASS",
            help="A policy's folder, ONNX file or name, or code of your own; repeat it for several runs.",
            autocompletion=completion(lambda: METHODS),
        ),
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
    with_policies: Annotated[
        bool,
        typer.Option(
            "--policies/--no-policies",
            help="Whether the submission brings trained policies as ONNX files, for boards to play.",
        ),
    ] = True,
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Play a benchmark with a policy of each run and write a submission.

    An agent of your own is `MODULE:CLASS`, with a method `act(observations, episode_starts)` that returns actions, in
    batches: `docs/own_agent.md`, or `python -m pydoc procgen_bench.core.policy`. What it raises ends the command.

    A physics track's episodes are kept in `SUBMISSION.unfinished` while it is played: the same command continues where
    it was stopped.

    **Examples**

    ```
    procgen-bench evaluate grid-world/graded --policy random -o submissions/random
    procgen-bench evaluate grid-world/target-a --policy runs/1/policy --policy runs/2/policy \\
        --seed 1 --seed 2 --method DQN --authors "A. Author" -o submissions/dqn
    procgen-bench evaluate bit-grid/test --policy mypackage.agents:Agent --training-steps 1000000 -o submissions/mine
    ```
    """
    from procgen_bench.core.benchmarks import get_benchmark
    from procgen_bench.leaderboards.evaluation.draft import MethodDescription
    from procgen_bench.leaderboards.evaluation.evaluation import evaluate as play

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
    evaluation = play(
        get_benchmark(benchmark),
        list(zip(policy, seeds)),
        out,
        description,
        show_progress=True,
        workers=workers_of(workers, ray),
        with_policies=with_policies,
    )
    for warning in evaluation.warnings:
        typer.echo(f"warning: {warning}", err=True)
    _tell_score(evaluation.submission.benchmark, evaluation.verification)
    if out.exists():
        typer.echo(f"wrote {out}")


def submit(
    submission: SubmissionArgument,
    board: BoardOption = None,
    method: Annotated[
        str | None, typer.Option(help="Name of the method on the board; by default as the submission says.")
    ] = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
    max_steps: MaxStepsOption = None,
    max_seconds: MaxSecondsOption = None,
) -> None:
    """Score a submission and add it to a board.

    Its policies are played in a sandbox, on the suite and on fresh tasks; recorded actions are replayed. Exit
    code 2 and one line: it is refused. Exit code 3: it cannot be scored here, as this machine is too slow or has other
    versions.

    **Examples**

    ```
    procgen-bench submit submissions/dqn
    procgen-bench submit submissions/dqn --board my-board --method "DQN with my exploration"
    ```
    """
    from procgen_bench.leaderboards.board.eligibility import badge, unranked
    from procgen_bench.leaderboards.board.submitting import submit as add

    board = chosen_board(board)
    parallel = workers_of(workers, ray)
    limits = limits_of(max_seconds)
    entry = add(
        submission, board, show_progress=True, workers=parallel, max_steps=max_steps, method=method, limits=limits
    )
    typer.echo(f"{entry.benchmark.id}: {entry.metadata.method} enters with {entry.record.suite_scores.mean():.4g}")
    reason = unranked(entry)
    if reason is not None:
        typer.echo(f"Not ranked: {badge(reason, entry)}. {reason.explanation}")
    typer.echo(f"wrote {entry.folder}")


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

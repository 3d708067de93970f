"""``evaluate``, ``verify`` and ``submit``: from a policy to a row that everyone can replay."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.cli.audits import audit_row
from procgen_bench.cli.chosen_board import BoardOption, chosen_board
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of
from procgen_bench.core.command_line import complete_benchmark, completion

if TYPE_CHECKING:
    from procgen_bench.core.benchmark import Benchmark
    from procgen_bench.leaderboards.rerun.rerun import Rerun
    from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
    from procgen_bench.leaderboards.verification.verification import Verification

MaxStepsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Steps of all runs that are replayed; by default one whole run, or about an hour."),
]
MaxSecondsOption = Annotated[
    float | None, typer.Option(min=1, help="Seconds that its policies may take in all; by default 7,200.")
]
SubmissionArgument = Annotated[Path, typer.Argument(metavar="SUBMISSION", help="Folder of the submission.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    for command in (evaluate, verify, submit):
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
            help="Whether the submission brings trained policies as ONNX files, for its verifier to play.",
        ),
    ] = True,
    workers: WorkersOption = None,
    ray: RayOption = None,
) -> None:
    """Play a benchmark with a policy of each run and record a submission.

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
    typer.echo(f"wrote {out}")


def verify(
    submission: SubmissionArgument,
    workers: WorkersOption = None,
    ray: RayOption = None,
    max_steps: MaxStepsOption = None,
    max_seconds: MaxSecondsOption = None,
) -> None:
    """Verify a submission, or a board's row: exit code 0 and its score if every claim holds, 2 and one line if not.

    If it brings its policies, they are played: on the suite, where they have to do what was recorded, and on fresh
    episodes. Else the recorded actions are replayed. Exit code 3 and one line: unverifiable here, since the physics of
    recorded actions comes out otherwise on this machine.

    **Examples**

    ```
    procgen-bench verify submissions/dqn
    procgen-bench verify leaderboards/results/bit-grid/test/v1/dqn-her
    ```
    """
    from procgen_bench.leaderboards.board.auditing import is_entry
    from procgen_bench.leaderboards.board.verifier import own_verifier
    from procgen_bench.leaderboards.rerun.rerun import verify_and_rerun
    from procgen_bench.leaderboards.submission.folder import read_submission

    if is_entry(submission):
        audit_row(str(submission), submission, workers_of(workers, ray))
        return
    read = read_submission(submission, max_steps)
    secret, parallel = own_verifier().secret, workers_of(workers, ray)
    _, verification, found = verify_and_rerun(read, secret, True, parallel, _budget(max_seconds))
    _tell_score(read.benchmark, verification)
    if found is not None:
        typer.echo("verified: the policies choose what the submission recorded")
        _tell_fresh_score(read.benchmark, found)
        return
    typer.echo("verified: the replay gives what the submission claims")
    if read.policies:
        typer.echo(f"not run again: there is no way to draw tasks like those of suite {read.benchmark.suite!r}")


def _budget(seconds: float | None) -> "Budget | None":
    from procgen_bench.leaderboards.rerun.sandboxed_play import Budget

    return None if seconds is None else Budget(seconds)


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
    """Verify a submission and add it to a board; exit codes as of `verify`.

    **Examples**

    ```
    procgen-bench submit submissions/dqn
    procgen-bench submit submissions/dqn --board my-board --method "DQN with my exploration"
    ```
    """
    from procgen_bench.leaderboards.board.eligibility import badge, unranked
    from procgen_bench.leaderboards.board.known_runs import known_runs
    from procgen_bench.leaderboards.board.submitting import submit as add

    board = chosen_board(board)
    parallel = workers_of(workers, ray)
    budget = _budget(max_seconds)
    entry = add(
        submission, board, show_progress=True, workers=parallel, max_steps=max_steps, method=method, budget=budget
    )
    typer.echo(f"{entry.benchmark.id}: {entry.metadata.method} enters with {entry.record.score:.4g}")
    reason = unranked(entry, known_runs(board))
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
    for run, overlap in enumerate(verification.training):
        if overlap is not None and overlap.beyond_chance:
            typer.echo(
                f"warning: run {run} was trained on {overlap.met} of the suite's {overlap.scored} tasks, and on "
                f"{overlap.met_drawn} of {overlap.drawn} fresh draws: the row has no rank",
                err=True,
            )
    if verification.by_segments:
        assert benchmark.segments is not None  # by which it was verified
        typer.echo(
            f"{verification.by_segments} of {verification.episode_scores.size} episodes by segments: their states "
            f"differ by up to {verification.deviation:.2g} ({benchmark.segments.tolerance:g} is tolerated)"
        )


def _tell_fresh_score(benchmark: "Benchmark", found: "Rerun") -> None:
    runs, episodes = found.scores.shape
    typer.echo(
        f"re-run: {benchmark.metric} {found.score:.6g} on {episodes} fresh episodes of each of {runs} policies "
        f"(standard error {found.error:.2g}), {found.seconds:.1f} s with the suite"
    )

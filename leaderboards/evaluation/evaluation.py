"""Evaluation: play a benchmark's suite with the policies of a method and record a submission."""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.baselines.policies.loading import PolicySource, load_policy
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.environment_options import make_environment
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.errors import IrreproducibleEpisodeError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription, draft, training_record
from procgen_bench.leaderboards.evaluation.playing import PlayedEpisodes, binding, play_at_once, play_in_chunks
from procgen_bench.leaderboards.evaluation.policy_files import PlayedPolicy, policy_files, submitted_files
from procgen_bench.leaderboards.evaluation.training_lists import training_lists
from procgen_bench.leaderboards.evaluation.unfinished import UnfinishedEvaluation
from procgen_bench.leaderboards.submission.checks import checked_benchmark, episode_place
from procgen_bench.leaderboards.submission.folder import check_writable, is_played, write_submission
from procgen_bench.leaderboards.submission.protocol import Protocol, check_policy_options
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import Traces
from procgen_bench.leaderboards.verification.replay import replay
from procgen_bench.leaderboards.verification.verification import Verification, verification_of

#: Difference up to which a played return and its replay may differ by the order in which rewards were added.
_ROUNDING = 1e-9
#: What an evaluation ends with whose actions nobody could replay.
_UNWRITTEN = (
    "no submission is written: physics comes out otherwise elsewhere, so recorded actions prove nothing; export the "
    "policy as an ONNX file"
)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A played and recorded benchmark.

    Attributes:
        submission: What was written.
        verification: What it scores.
        warnings: One line for each policy that crashed.
    """

    submission: Submission
    verification: Verification
    warnings: tuple[str, ...]


def evaluate(
    benchmark: Benchmark,
    policies: Sequence[tuple[PolicySource, int]],
    folder: str | PathLike,
    description: MethodDescription,
    show_progress: bool = False,
    workers: Workers = None,
    with_policies: bool = True,
) -> Evaluation:
    """Play the benchmark once with every policy and write the submission.

    The actions of an agent that is no file are recorded, and replayed as a board will do it; on physics tracks nobody
    could, and no submission is written. Of policies that a board can play itself nothing is recorded.

    A policy that raises an error is recorded as far as it came: its unfinished episodes score the minimum. A person's
    own (an object, or ``"module:Class"``) ends the evaluation instead, and no submission is written.

    Physics tracks are played in chunks of episodes, which are kept in ``FOLDER.unfinished`` until the submission is
    written. The same call goes on with those that are there (:mod:`.playing`).

    Args:
        benchmark: What is played.
        policies: One (source, training seed) per run; a source is a policy's name or folder, an ONNX file,
            ``"module:Class"``, or an object with ``act``
            (:func:`~procgen_bench.baselines.policies.loading.load_policy`).
        folder: Where the submission is written; must not exist.
        description: What the submission says about the method.
        show_progress: Whether progress bars are shown.
        workers: Who plays physics.
        with_policies: Whether trained policies are played as ONNX files, in a sandbox, and brought by the submission,
            so that boards can play them; without, they are played as their method does.

    Raises:
        ExistingFolderError: ``folder`` exists.
        UnknownNameError, InvalidPolicyError: A policy cannot be loaded.
        OwnPolicyError: A person's own policy raised an error, or chose what is no action.
        InvalidSubmissionError: A field of the description is not as it must be.
        InvalidOptionError: The environment does not take a policy's options.
        UnfinishedEvaluationError: ``FOLDER.unfinished`` is another evaluation's.
        WorkerDiedError, LostJobError: A worker process died; what was played is kept.
        IrreproducibleEpisodeError: An episode's replay gives another score than its play, or observes something else.
    """
    check_writable(folder)
    environment_type(benchmark.environment_id)  # what it needs is there, or nothing is begun
    origins, protocol = [source for source, _ in policies], Protocol(benchmark)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as open_policies:
        if with_policies:
            chosen = policy_files(origins, benchmark.environment_id, Path(scratch))
        else:
            chosen = [PlayedPolicy(origin, origin, None) for origin in origins]
        loaded = [load_policy(policy.source, benchmark.environment_id) for policy in chosen]
        for policy in loaded:
            open_policies.callback(policy.close)
            _check_playable(policy, protocol)
        records = [training_record(origin) for origin in origins]
        drafted = draft(benchmark, chosen, [seed for _, seed in policies], loaded, records, description)
        checked_benchmark(drafted)  # before anything is played; what only the playing tells is filled in after it
        unplayed = Submission(
            drafted,
            None,
            protocol,
            submitted_files(chosen),
            training_files=training_lists(records),
        )
        sources = [policy.source for policy in chosen]
        if not benchmark.physics:
            start = time.perf_counter()
            played = play_at_once(sources, loaded, protocol, drafted, show_progress)
            evaluation = _evaluated(played, unplayed, show_progress)
            return _written(evaluation, folder, time.perf_counter() - start)
        with UnfinishedEvaluation(Path(folder), binding(protocol, drafted)) as unfinished:
            played = play_in_chunks(sources, protocol, drafted, unfinished, show_progress, workers)
            evaluation = _evaluated(played, unplayed, show_progress)
            evaluation = _written(evaluation, folder, unfinished.seconds)
            unfinished.remove()
        return evaluation


def _check_playable(policy: Policy, protocol: Protocol) -> None:
    """Refuse a policy whose environment options are none, or make another action space than the benchmark's."""
    with make_environment(protocol.benchmark.environment_id, policy.environment_options) as env:
        check_policy_options(policy)
        if env.action_space != protocol.action_space:
            raise InvalidPolicyError(
                f"with its environment_options {policy.environment_options} the policy acts in {env.action_space}, "
                f"expected {protocol.action_space}, that of {protocol.benchmark.id}"
            )


def _is_recordable(submission: Submission) -> bool:
    """Whether others can score the submission: they play its policies, or replay its actions on an exact track."""
    return is_played(submission.metadata) or not submission.benchmark.physics


def _evaluated(played: PlayedEpisodes, unplayed: Submission, show_progress: bool) -> Evaluation:
    """What was played, with its score; recorded actions with what their replay gives."""
    notes = "\n".join(filter(None, [unplayed.metadata.notes, *played.warnings]))[:2_000]
    submission = replace(unplayed, metadata=unplayed.metadata.model_copy(update={"notes": notes}))
    episodes = [episode for run in played.episodes for episode in run]
    verification = verification_of(submission, episodes)
    warnings = list(played.warnings)
    if not _is_recordable(submission):
        warnings.append(_UNWRITTEN)
    elif not is_played(submission.metadata):
        traces = _traces(submission.protocol, played.episodes)
        submission = replace(submission, traces=traces)
        seen, progress = verification, "replaying" if show_progress else None
        outcomes = replay(submission.benchmark, submission.all_episodes(), progress)
        verification = verification_of(submission, outcomes)
        _check_reproduced(seen, verification, submission.benchmark)
        submission = replace(submission, traces=replace(traces, scores=verification.episode_scores.ravel()))
    metadata = submission.metadata.model_copy(update={"claimed_score": verification.score})
    return Evaluation(replace(submission, metadata=metadata), verification, tuple(warnings))


def _written(evaluation: Evaluation, folder: str | PathLike, seconds: float) -> Evaluation:
    """The evaluation whose submission, which took so long to make, has been written, if there is any."""
    if not _is_recordable(evaluation.submission):
        return evaluation
    metadata = evaluation.submission.metadata.model_copy(update={"wall_time_seconds": round(seconds, 3)})
    submission = replace(evaluation.submission, metadata=metadata)
    write_submission(submission, Path(folder))
    return replace(evaluation, submission=submission)


def _traces(protocol: Protocol, played: Sequence[Sequence[Episode]]) -> Traces:
    """The played episodes as arrays, their scores still open."""
    episodes = [episode for run in played for episode in run]
    shape, dtype = protocol.action_form
    none = np.empty((0, *shape), dtype)
    return Traces(
        runs=np.repeat(np.arange(len(played), dtype=np.int32), len(protocol.task_indices)),
        tasks=np.tile(protocol.task_indices, len(played)),
        seeds=np.array([episode.seed for episode in episodes], np.uint64),
        lengths=np.array([len(episode.actions) for episode in episodes], np.int32),
        scores=np.full(len(episodes), np.nan),
        actions=np.concatenate([none, *(episode.actions for episode in episodes)]),
    )


def _check_reproduced(played: Verification, replayed: Verification, benchmark: Benchmark) -> None:
    differing = np.abs(played.episode_scores - replayed.episode_scores) > max(benchmark.tolerance, _ROUNDING)
    for run, index in np.argwhere(differing)[:1].tolist():
        place = episode_place(run * differing.shape[1] + index, differing.shape[1])
        raise IrreproducibleEpisodeError(
            f"{place} scored {float(played.episode_scores[run, index])!r} when it was played, its replay "
            f"{float(replayed.episode_scores[run, index])!r}: {benchmark.environment_id} does not repeat itself on "
            "this machine"
        )

"""Evaluation: play a benchmark's suite with the policies of a method and record a submission."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.baselines.episode import Episode
from procgen_bench.baselines.methods import METHODS
from procgen_bench.baselines.policies import PolicyFolder, load_policy, policy_hash
from procgen_bench.baselines.rollout import PolicyCrashedError, play_episodes
from procgen_bench.baselines.run_folder import read_training_record
from procgen_bench.benchmark import Benchmark
from procgen_bench.errors import InvalidPolicyError
from procgen_bench.leaderboards.errors import IrreproducibleEpisodeError
from procgen_bench.leaderboards.metadata import FORMAT_VERSION, MAX_CURVE_POINTS, METADATA_FILE, Metadata
from procgen_bench.leaderboards.protocol import Protocol
from procgen_bench.leaderboards.strict_json import validated
from procgen_bench.leaderboards.submission import (
    Submission,
    check_writable,
    checked_benchmark,
    episode_place,
    write_submission,
)
from procgen_bench.leaderboards.traces import Traces
from procgen_bench.leaderboards.verification import Verification, replayed_scores
from procgen_bench.policy import OraclePolicy, Policy
from procgen_bench.provenance import commit, hardware, package_versions
from procgen_bench.seeding import seed_from_parts

_MAX_WARNING = 300
#: Points of all runs' learning curves together, so that the metadata stay within their size.
_MAX_CURVE_POINTS = 2_000
#: Difference up to which a played return and its replay may differ by the order in which rewards were added.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class MethodDescription:
    """What a submission says about its method; see :class:`~procgen_bench.leaderboards.metadata.Metadata`.

    ``method`` and ``training_steps`` are ``None`` to take what the policies themselves say.
    """

    authors: str
    command: str
    method: str | None = None
    link: str | None = None
    training_steps: int | None = None
    notes: str = ""


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
    policies: Sequence[tuple[str | PathLike, int]],
    folder: str | PathLike,
    description: MethodDescription,
    show_progress: bool = False,
) -> Evaluation:
    """Play the benchmark once with every policy and write the submission.

    What is recorded besides the actions (scores and, on physics tracks, hash chains over the observations) comes from a
    replay, as the verifier will make one.

    A policy that raises an error is recorded as far as it came: its unfinished episodes score the minimum.

    Args:
        benchmark: What is played.
        policies: One (source, training seed) per run; a source is a policy's name or folder.
        folder: Where the submission is written; must not exist.
        description: What the submission says about the method.
        show_progress: Whether progress bars are shown.

    Raises:
        ExistingFolderError: ``folder`` exists.
        UnknownNameError, InvalidPolicyError: A policy cannot be loaded.
        InvalidSubmissionError: A field of the description is not as it must be.
        IrreproducibleEpisodeError: An episode's replay gives another score than its play.
    """
    check_writable(folder)
    loaded = [load_policy(source, benchmark.environment_id) for source, _ in policies]
    runs = [
        {
            "training_seed": seed,
            "policy_hash": policy_hash(source, benchmark.environment_id),
            "training": _training(source, benchmark, _MAX_CURVE_POINTS // len(policies)),
        }
        for source, seed in policies
    ]
    # Checked before anything is played; what only the playing tells is filled in after it.
    description = _completed(description, [source for source, _ in policies])
    draft = _draft(benchmark, runs, any(isinstance(policy, OraclePolicy) for policy in loaded), description)
    checked_benchmark(draft)
    protocol = Protocol(benchmark)
    start = time.perf_counter()
    played, warnings = [], []
    for index, policy in enumerate(loaded):
        title = f"run {index + 1} of {len(loaded)}" if show_progress else None
        episodes, warning = _play(policy, protocol, draft, index, title)
        played.append(episodes)
        warnings += warning
    unscored = Submission(draft, _traces(protocol, played), protocol)
    verification = replayed_scores(unscored, "replaying" if show_progress else None)
    _check_reproduced(played, verification, benchmark)
    metadata = draft.model_copy(
        update={
            "claimed_score": verification.score,
            "wall_time_seconds": round(time.perf_counter() - start, 3),
            "notes": "\n".join(filter(None, [draft.notes, *warnings]))[:2_000],
        }
    )
    traces = replace(unscored.traces, scores=verification.episode_scores.ravel(), links=verification.links)
    submission = Submission(metadata, traces, protocol)
    write_submission(submission, Path(folder))
    return Evaluation(submission, verification, tuple(warnings))


def _completed(description: MethodDescription, sources: Sequence[str | PathLike]) -> MethodDescription:
    """The description with its gaps filled by what the policies say."""
    recorded = [_recorded(source) for source in sources]
    if description.method is None and recorded:
        description = replace(description, method=recorded[0][0])
    if description.training_steps is None:
        unknown = [source for source, (_, steps) in zip(sources, recorded) if not isinstance(steps, int)]
        if unknown:
            raise InvalidPolicyError(
                f"the policy in {unknown[0]} does not record its training steps; say how many there were"
            )
        description = replace(description, training_steps=max((steps for _, steps in recorded), default=0))
    return description


def _recorded(source: str | PathLike) -> tuple[str, int | None]:
    """Name of a policy's method and the environment steps of its training, ``None`` where its folder has none."""
    if source in METHODS:
        return str(source), 0  # it could be loaded by its name, so it needs no training
    folder = PolicyFolder.read(Path(source))
    return folder.method, folder.configuration.get("training_steps")


def _training(source: str | PathLike, benchmark: Benchmark, max_points: int) -> dict[str, Any] | None:
    """How a policy was trained, if it still lies in its run folder; its curve is thinned to ``max_points``."""
    record = None if source in METHODS else read_training_record(Path(source))
    if record is None:
        return None
    # A run for another benchmark was evaluated on that one's tasks: its curve would say nothing of this one.
    curve = record.curve if record.benchmark == benchmark.id else []
    every = max(1, math.ceil(len(curve) / min(max_points, MAX_CURVE_POINTS)))
    return {
        "command": record.command,
        "commit": record.commit,
        "hardware": record.hardware,
        "wall_time_seconds": record.seconds,
        "curve": [{"step": int(row["step"]), "score": row[benchmark.metric]} for row in curve[::every]],
    }


def _draft(benchmark: Benchmark, runs: list[dict], oracle: bool, description: MethodDescription) -> Metadata:
    fields = {
        "format_version": FORMAT_VERSION,
        "method": description.method,
        "authors": description.authors,
        "link": description.link,
        "benchmark": benchmark.id,
        "benchmark_version": benchmark.version,
        "oracle": oracle,
        "training_steps": description.training_steps,
        "runs": runs,
        "claimed_score": 0.0,
        "package_versions": package_versions(),
        "command": description.command,
        "commit": commit(),
        "hardware": hardware(),
        "wall_time_seconds": 0.0,
        "notes": description.notes,
    }
    return validated(Metadata, fields, METADATA_FILE)


def _play(
    policy: Policy, protocol: Protocol, metadata: Metadata, index: int, title: str | None
) -> tuple[list[Episode], list[str]]:
    """Play one run; also a warning if the policy crashed."""
    benchmark, run = protocol.benchmark, metadata.runs[index]
    policy.seed(seed_from_parts(benchmark.id, benchmark.version, run.policy_hash, run.training_seed, "policy"))
    tasks = [protocol.suite.tasks[task] for task in protocol.task_indices]
    seeds = [int(seed) for seed in protocol.seeds(run)]
    try:
        return play_episodes(policy, benchmark.environment_id, tasks, seeds, progress=title), []
    except PolicyCrashedError as crash:
        printable = "".join(character if character.isprintable() else " " for character in str(crash))
        return crash.episodes, [f"run {index}: {printable}"[:_MAX_WARNING]]


def _traces(protocol: Protocol, played: Sequence[Sequence[Episode]]) -> Traces:
    """The played episodes as arrays, their scores and hash chains still open."""
    episodes = [episode for run in played for episode in run]
    space = protocol.action_space
    none = np.empty((0, *space.shape), space.dtype)
    return Traces(
        runs=np.repeat(np.arange(len(played), dtype=np.int32), len(protocol.task_indices)),
        tasks=np.tile(protocol.task_indices, len(played)),
        seeds=np.array([episode.seed for episode in episodes], np.uint64),
        lengths=np.array([len(episode.actions) for episode in episodes], np.int32),
        scores=np.full(len(episodes), np.nan),
        actions=np.concatenate([none, *(episode.actions for episode in episodes)]),
    )


def _check_reproduced(played: Sequence[Sequence[Episode]], verification: Verification, benchmark: Benchmark) -> None:
    tolerance = max(benchmark.tolerance, _ROUNDING)
    for run, episodes in enumerate(played):
        for index, episode in enumerate(episodes):
            seen = episode.return_ if benchmark.metric == "return" else float(episode.success)
            seen = seen if episode.finished else benchmark.minimum
            replayed = verification.episode_scores[run, index]
            if abs(seen - replayed) > tolerance:
                place = episode_place(run * len(episodes) + index, len(episodes))
                raise IrreproducibleEpisodeError(
                    f"{place} scored {seen!r} when it was played, its replay {float(replayed)!r}: "
                    f"{benchmark.environment_id} does not repeat itself on this machine"
                )

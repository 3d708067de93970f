"""Playing a benchmark's episodes with policies: exact tracks in one go, physics in chunks that can be resumed."""

import hashlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from procgen_bench.baselines.policies.episode import Episode, PolicyCrashedError, crash_in_words
from procgen_bench.baselines.policies.loading import PolicySource, is_own, is_scripted, load_policy, naming_own_code
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.policy import Policy
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.evaluation.chunks import Chunk
from procgen_bench.leaderboards.evaluation.unfinished import UnfinishedEvaluation
from procgen_bench.leaderboards.scoring.playing import EPISODES_PER_CHUNK
from procgen_bench.leaderboards.submission.metadata import Metadata, Run
from procgen_bench.leaderboards.submission.protocol import Protocol

_MAX_WARNING = 300


class PlayedEpisodes(NamedTuple):
    """What has been played.

    Attributes:
        episodes: Those of every run, in their order.
        warnings: One for each policy that crashed.
    """

    episodes: list[list[Episode]]
    warnings: list[str]


def play_at_once(
    sources: Sequence[PolicySource],
    loaded: Sequence[Policy],
    protocol: Protocol,
    metadata: Metadata,
    show_progress: bool,
) -> PlayedEpisodes:
    """Every run's episodes, and a warning for each policy that crashed; it plays no more from then on.

    Raises:
        OwnPolicyError: A user's own policy crashed: that is to be fixed, not scored.
    """
    benchmark, played, warnings = protocol.benchmark, [], []
    tasks = [protocol.suite.tasks[task] for task in protocol.task_indices]
    for index, (source, policy, run) in enumerate(zip(sources, loaded, metadata.runs, strict=True)):
        title = f"run {index + 1} of {len(loaded)}" if show_progress else None
        try:
            with _naming_own(source, policy):
                policy.seed(_policy_seed(protocol, run))
                episodes = play_episodes(policy, benchmark.environment_id, tasks, _seeds(protocol, run), progress=title)
        except PolicyCrashedError as crash:
            episodes = crash.episodes
            warnings.append(_warning(index, crash.reason, episodes))
        played.append(episodes)
    return PlayedEpisodes(played, warnings)


def play_in_chunks(
    sources: Sequence[PolicySource],
    protocol: Protocol,
    metadata: Metadata,
    unfinished: UnfinishedEvaluation,
    show_progress: bool,
    workers: Workers,
) -> PlayedEpisodes:
    """The same, of policies that are loaded again for every chunk of episodes; a crash ends its chunk only.

    Args:
        sources: What each run's policy is loaded from. Policies that are objects stay in this process.
        protocol: What is played.
        metadata: The submission's, as far as they are known.
        unfinished: Keeps the chunks; those that it holds are not played again.
        show_progress: Whether a progress bar is shown, and what is taken up and left behind is said.
        workers: Who plays. Episodes do not depend on it, but for a network's rounding: workers compute with one thread.
    """
    jobs = {
        (index, number): (_found_anywhere(source), protocol.benchmark.environment_id, *job)
        for index, (source, run) in enumerate(zip(sources, metadata.runs, strict=True))
        for number, job in enumerate(chunk_jobs(protocol, run))
    }
    found = {place: unfinished.read(*place) for place in jobs}
    chunks = {place: chunk for place, chunk in found.items() if chunk is not None}
    missing = [place for place in jobs if place not in chunks]
    total, kept = len(sources) * len(protocol.task_indices), sum(len(chunk.episodes) for chunk in chunks.values())
    if show_progress and kept:
        _say(f"continuing where an earlier command stopped: {kept} of {total} episodes are in {unfinished.folder}")
    bar = Progress(desc="playing", total=total, initial=kept, unit="episode", delay=2, disable=not show_progress)
    movable = all(isinstance(source, (str, PathLike)) for source in sources)
    results = finished_jobs(play_chunk, [jobs[place] for place in missing], workers if movable else None)
    try:
        with bar, closing(results):
            for place, chunk in results:
                unfinished.write(*missing[place], chunk)
                chunks[missing[place]] = chunk
                bar.update(len(chunk.episodes))
    except BaseException:
        if show_progress and chunks:
            kept = sum(len(chunk.episodes) for chunk in chunks.values())
            _say(f"stopped: {kept} of {total} episodes are kept in {unfinished.folder}; the same command continues")
        raise
    return _joined(chunks, len(sources))


def chunk_jobs(protocol: Protocol, run: Run) -> list[tuple[list[Task], list[int], int]]:
    """Tasks, seeds and the policy's seed of every chunk of a run, as :func:`play_chunk` takes them."""
    seeds, jobs = _seeds(protocol, run), []
    for number, start in enumerate(range(0, len(seeds), EPISODES_PER_CHUNK)):
        part = slice(start, start + EPISODES_PER_CHUNK)
        tasks = [protocol.suite.tasks[task] for task in protocol.task_indices[part]]
        jobs.append((tasks, seeds[part], _policy_seed(protocol, run, number)))
    return jobs


def play_chunk(
    source: PolicySource,
    environment_id: str,
    tasks: Sequence[Task],
    seeds: Sequence[int],
    policy_seed: int,
) -> Chunk:
    """Load a policy and play an episode of every task in this process.

    Raises:
        OwnPolicyError: A user's own policy crashed.
    """
    policy = load_policy(source, environment_id)
    try:
        with _naming_own(source, policy):
            policy.seed(policy_seed)
            episodes = play_episodes(policy, environment_id, tasks, seeds, len(tasks), serial=True)
        return Chunk(episodes)
    except PolicyCrashedError as crash:
        return Chunk(crash.episodes, crash.reason)
    finally:
        if policy is not source:  # made here
            policy.close()


def binding(protocol: Protocol, metadata: Metadata) -> dict[str, Any]:
    """All that decides what is played, and by which numbers it is kept."""
    tasks = [protocol.suite.task_names[task] for task in protocol.task_indices]
    episodes = [(run, *episode) for run in metadata.runs for episode in zip(tasks, protocol.seeds(run).tolist())]
    text = "\n".join(f"{run.policy_hash} {task} {seed}" for run, task, seed in episodes)
    return {
        "benchmark": metadata.benchmark,
        "benchmark_version": metadata.benchmark_version,
        "policy_hashes": [run.policy_hash for run in metadata.runs],
        "training_seeds": [run.training_seed for run in metadata.runs],
        "episodes_per_chunk": EPISODES_PER_CHUNK,
        "episodes": hashlib.sha256(text.encode()).hexdigest(),
        "package_versions": metadata.package_versions,
    }


def _found_anywhere(source: PolicySource) -> PolicySource:
    """The same source for workers, whose working directory may be another."""
    return source if is_own(source) or is_scripted(source) else str(Path(source).absolute())


def _joined(chunks: dict[tuple[int, int], Chunk], num_runs: int) -> PlayedEpisodes:
    """The chunks of all runs in their order, and a warning for each policy that crashed."""
    played, warnings = [], []
    for index in range(num_runs):
        of_run = [chunks[place] for place in sorted(chunks) if place[0] == index]
        episodes = [episode for chunk in of_run for episode in chunk.episodes]
        crashes = [chunk.crash for chunk in of_run if chunk.crash]
        played.append(episodes)
        warnings += [_warning(index, crash, episodes) for crash in crashes[:1]]
    return PlayedEpisodes(played, warnings)


def _seeds(protocol: Protocol, run: Run) -> list[int]:
    return [int(seed) for seed in protocol.seeds(run)]


def _policy_seed(protocol: Protocol, run: Run, *chunk: int) -> int:
    benchmark = protocol.benchmark
    return seed_from_parts(benchmark.id, benchmark.version, run.policy_hash, run.training_seed, "policy", *chunk)


def _naming_own(source: PolicySource, policy: Policy) -> AbstractContextManager:
    return naming_own_code(policy) if is_own(source) else nullcontext()


def _warning(index: int, reason: str, episodes: Sequence[Episode]) -> str:
    words = crash_in_words(reason, episodes)
    printable = "".join(character if character.isprintable() else " " for character in words)
    return f"run {index}: {printable}"[:_MAX_WARNING]


def _say(message: str) -> None:
    Progress.write(message, file=sys.stderr)

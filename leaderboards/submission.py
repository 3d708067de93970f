"""Submission: a method's metadata and the traces of its episodes, checked against the benchmark's protocol."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np
from gymnasium.vector.utils import batch_space

from procgen_bench.benchmark import Benchmark
from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.benchmarks import get_benchmark
from procgen_bench.leaderboards.errors import ExistingFolderError, InvalidSubmissionError
from procgen_bench.leaderboards.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, parse_metadata
from procgen_bench.leaderboards.observation_chain import num_links
from procgen_bench.leaderboards.plain_folder import PlainFolder, write_plain_folder
from procgen_bench.leaderboards.protocol import Protocol
from procgen_bench.leaderboards.traces import TRACES_FILE, Traces, max_traces_bytes, parse_traces
from procgen_bench.task import Task

#: Actions whose space is checked together: millions at once would need gigabytes.
_CHECKED_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False)
class EpisodeTrace:
    """One recorded episode.

    Attributes:
        task: The task that is played.
        task_name: Its name in the benchmark's suite.
        task_index: Its index in the benchmark's suite.
        seed: Seed of the environment's reset.
        actions: (length, ...), in the action space's dtype.
        claimed_score: What the submitter says it scores.
        links: Hash chain over its observations; empty on exact tracks.
    """

    task: Task
    task_name: str
    task_index: int
    seed: int
    actions: np.ndarray
    claimed_score: float
    links: tuple[bytes, ...] = ()


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission whose episodes are those that its benchmark demands; what they score is for the replay to say.

    Attributes:
        metadata: The content of ``submission.json``.
        traces: The content of ``traces.npz``.
        protocol: The benchmark's list of episodes.
    """

    metadata: Metadata
    traces: Traces
    protocol: Protocol

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that it was made for."""
        return self.protocol.benchmark

    @property
    def num_runs(self) -> int:
        """Number of runs."""
        return len(self.metadata.runs)

    def episodes(self, run: int) -> list[EpisodeTrace]:
        """The episodes of one run, in their fixed order."""
        per_run = len(self.protocol.task_indices)
        return [self.episode(index) for index in range(run * per_run, (run + 1) * per_run)]

    def files(self) -> dict[str, bytes]:
        """Content of its files by name."""
        return {METADATA_FILE: self.metadata.to_json(), TRACES_FILE: self.traces.to_npz()}

    @cached_property
    def _starts(self) -> np.ndarray:
        return _starts_of(self.traces.lengths)

    @cached_property
    def _link_starts(self) -> np.ndarray:
        return _starts_of(num_links(self.traces.lengths))

    def episode(self, index: int) -> EpisodeTrace:
        """An episode by its place among those of all runs."""
        task = int(self.traces.tasks[index])
        suite = self.protocol.suite
        return EpisodeTrace(
            task=suite.tasks[task],
            task_name=suite.task_names[task],
            task_index=task,
            seed=int(self.traces.seeds[index]),
            actions=self.traces.actions[self._starts[index] : self._starts[index + 1]],
            claimed_score=float(self.traces.scores[index]),
            links=self._links(index),
        )

    def _links(self, index: int) -> tuple[bytes, ...]:
        if self.traces.links is None:
            return ()
        links = self.traces.links[self._link_starts[index] : self._link_starts[index + 1]]
        return tuple(link.tobytes() for link in links)


def read_submission(folder: str | PathLike, extra_files: tuple[str, ...] = ()) -> Submission:
    """Read a submission's folder, trusting nothing in it.

    Args:
        folder: The folder, which holds ``submission.json``, ``traces.npz`` and nothing else.
        extra_files: Names of further files that it must hold, which are not read.

    Raises:
        InvalidSubmissionError: The folder, a file, a field or an array is not as the benchmark demands.
    """
    with PlainFolder(Path(folder), (METADATA_FILE, TRACES_FILE, *extra_files)) as files:
        metadata = parse_metadata(files.read(METADATA_FILE, MAX_METADATA_BYTES))
        protocol = Protocol(checked_benchmark(metadata))
        action_space, steps = protocol.action_space, protocol.max_episode_steps
        num_episodes = len(metadata.runs) * len(protocol.task_indices)
        action_bytes = action_space.dtype.itemsize * int(np.prod(action_space.shape))
        physics = protocol.benchmark.physics
        max_links = num_episodes * num_links(steps) if physics else 0
        limit = max_traces_bytes(num_episodes, num_episodes * steps, action_bytes, max_links)
        raw = files.read(TRACES_FILE, limit)
    traces = parse_traces(raw, num_episodes, steps, action_space.dtype, action_space.shape, physics)
    submission = Submission(metadata, traces, protocol)
    _check_episodes(submission)
    _check_actions(submission)
    return submission


def write_submission(submission: Submission, folder: str | PathLike) -> None:
    """Write a submission to the new folder ``folder``, all or nothing."""
    folder = Path(folder)
    check_writable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_plain_folder(folder, submission.files(), staging=folder.parent)


def check_writable(folder: str | PathLike) -> None:
    """Raise :class:`ExistingFolderError` if a submission cannot be written to ``folder`` because something is there."""
    if Path(folder).exists():
        raise ExistingFolderError(f"{folder} already exists; remove it or write the submission elsewhere")


def checked_benchmark(metadata: Metadata) -> Benchmark:
    """The benchmark that the metadata name, after checking that they keep to it."""
    try:
        benchmark = get_benchmark(metadata.benchmark)
    except UnknownNameError as error:
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", metadata.benchmark, f"one of {error.listed}") from None
    if metadata.benchmark_version != benchmark.version:
        raise InvalidSubmissionError(
            METADATA_FILE, "benchmark_version", metadata.benchmark_version, f"{benchmark.version}, the current one"
        )
    if metadata.training_steps > benchmark.interaction_budget:
        raise InvalidSubmissionError(
            METADATA_FILE,
            "training_steps",
            metadata.training_steps,
            f"at most the interaction budget of {benchmark.id}, {benchmark.interaction_budget}",
        )
    for index, run in enumerate(metadata.runs):
        if run in metadata.runs[:index]:
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{index}]",
                f"the same as runs[{metadata.runs.index(run)}]",
                "runs that differ in training seed or policy",
            )
    return benchmark


def _starts_of(counts: np.ndarray) -> np.ndarray:
    """Where each episode's part begins in an array of all of them, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _check_episodes(submission: Submission) -> None:
    """The runs, tasks and seeds must be those of the protocol, in its order."""
    protocol, traces = submission.protocol, submission.traces
    per_run = len(protocol.task_indices)
    expected = {
        "runs": np.repeat(np.arange(submission.num_runs), per_run),
        "tasks": np.tile(protocol.task_indices, submission.num_runs),
        "seeds": np.concatenate([protocol.seeds(run) for run in submission.metadata.runs]),
    }
    reasons = {
        "runs": "every run's episodes in turn",
        "tasks": f"the suite's tasks in their order, each {protocol.benchmark.episodes_per_task} times",
        "seeds": "the seed bound to the policy's hash, the training seed and the episode",
    }
    for name, wanted in expected.items():
        found = getattr(traces, name)
        for index in np.flatnonzero(found != wanted)[:1]:
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"{name}[{index}] ({episode_place(index, per_run)})",
                int(found[index]),
                f"{wanted[index]}: {reasons[name]}",
            )


def _check_actions(submission: Submission) -> None:
    """Every action must lie in the action space."""
    actions, space = submission.traces.actions, submission.protocol.action_space
    for start in range(0, len(actions), _CHECKED_AT_ONCE):
        part = actions[start : start + _CHECKED_AT_ONCE]
        if not batch_space(space, len(part)).contains(part):
            at = start + next(index for index, action in enumerate(part) if not space.contains(action))
            episode = int(np.searchsorted(submission._starts, at, side="right")) - 1
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"action {at - int(submission._starts[episode])} of "
                f"{episode_place(episode, len(submission.protocol.task_indices))}",
                actions[at].tolist(),
                f"a member of {space}",
            )


def episode_place(index: int, episodes_per_run: int) -> str:
    """How errors name the episode at ``index``, e.g. ``"run 1, episode 7"``."""
    return f"run {index // episodes_per_run}, episode {index % episodes_per_run}"

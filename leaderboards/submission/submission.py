"""Submission: a method's metadata and the traces of its episodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.protocol import Protocol
from procgen_bench.leaderboards.submission.traces import TRACES_FILE, Traces


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
    """

    task: Task
    task_name: str
    task_index: int
    seed: int
    actions: np.ndarray
    claimed_score: float


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission whose episodes are those that its benchmark demands; what they score is for the replay to say.

    Attributes:
        metadata: The content of ``submission.json``.
        traces: The content of ``traces.npz``, recorded actions; ``None`` where its policies can be played.
        protocol: The benchmark's list of episodes.
        policies: The content of ``policy-0.onnx``, ``policy-1.onnx`` ...; none if it brings no policies.
        raw_metadata: ``submission.json`` as it was read; empty if the submission is being made.
        training_files: The content of ``training-0.npy``, ``training-1.npy`` ... by name: all that the metadata
            announce, but of a submission that was read from a board none, as boards do without.
    """

    metadata: Metadata
    traces: Traces | None
    protocol: Protocol
    policies: tuple[bytes, ...] = ()
    raw_metadata: bytes = b""
    training_files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that it was made for."""
        return self.protocol.benchmark

    @property
    def metadata_bytes(self) -> bytes:
        """The content of ``submission.json``."""
        return self.raw_metadata or self.metadata.to_json()

    @property
    def num_runs(self) -> int:
        """Number of runs."""
        return len(self.metadata.runs)

    def episodes(self, run: int) -> list[EpisodeTrace]:
        """The episodes of one run, in their fixed order."""
        per_run = len(self.protocol.task_indices)
        return [self.episode(index) for index in range(run * per_run, (run + 1) * per_run)]

    def all_episodes(self) -> list[EpisodeTrace]:
        """The episodes of all runs, one run after the other."""
        return [self.episode(index) for index in range(len(self.recorded.lengths))]

    def files(self) -> dict[str, bytes]:
        """Content of its files by name."""
        policies = dict(zip(self.metadata.policy_files, self.policies, strict=True))
        return {
            METADATA_FILE: self.metadata_bytes,
            **({} if self.traces is None else {TRACES_FILE: self.traces.to_npz()}),
            **policies,
            **self.training_files,
        }

    @cached_property
    def starts(self) -> np.ndarray:
        """int64 (episodes + 1,): where each episode's actions begin among all, and where the last one's end."""
        return np.concatenate([[0], np.cumsum(self.recorded.lengths, dtype=np.int64)])

    @property
    def recorded(self) -> Traces:
        """The traces, of a submission that has them."""
        assert self.traces is not None
        return self.traces

    def episode(self, index: int) -> EpisodeTrace:
        """An episode by its place among those of all runs."""
        task = int(self.recorded.tasks[index])
        suite = self.protocol.suite
        return EpisodeTrace(
            task=suite.tasks[task],
            task_name=suite.task_names[task],
            task_index=task,
            seed=int(self.recorded.seeds[index]),
            actions=self.recorded.actions[self.starts[index] : self.starts[index + 1]],
            claimed_score=float(self.recorded.scores[index]),
        )

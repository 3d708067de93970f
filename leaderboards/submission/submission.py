"""Submission: a method's metadata and the traces of its episodes, checked against the benchmark's protocol."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from pathlib import Path

import numpy as np
from gymnasium.vector.utils import batch_space

from procgen_bench.baselines.methods import get_method
from procgen_bench.baselines.policies import scripted_name
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.errors import ExistingFolderError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, parse_metadata
from procgen_bench.leaderboards.submission.observation_chain import num_links
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, check_extra_files, write_plain_folder
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS, Protocol
from procgen_bench.leaderboards.submission.traces import TRACES_FILE, StateForm, Traces, parse_traces
from procgen_bench.leaderboards.submission.training_tasks import TRAINING_FILES, read_training_files

#: Names of policies' files.
POLICY_FILES = re.compile(r"policy-[0-9]{1,2}\.onnx")
_EXTRA_FILES = re.compile(f"{POLICY_FILES.pattern}|{TRAINING_FILES.pattern}")
#: Greatest size of one policy, and of all of a submission.
MAX_POLICY_BYTES, MAX_POLICIES_BYTES = 64 * 1024 * 1024, 256 * 1024 * 1024
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
        states: float64 (states, numbers of one state), recorded states of its physics; ``None``: none were.
    """

    task: Task
    task_name: str
    task_index: int
    seed: int
    actions: np.ndarray
    claimed_score: float
    links: tuple[bytes, ...] = ()
    states: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission whose episodes are those that its benchmark demands; what they score is for the replay to say.

    Attributes:
        metadata: The content of ``submission.json``.
        traces: The content of ``traces.npz``.
        protocol: The benchmark's list of episodes.
        policies: The content of ``policy-0.onnx``, ``policy-1.onnx`` ...; none if it brings no policies.
        raw_metadata: ``submission.json`` as it was read; empty if the submission is being made.
        training_files: The content of ``training-0.npy``, ``training-1.npy`` ... by name: all that the metadata
            announce, but of a submission that was read from a board none, as boards do without.
    """

    metadata: Metadata
    traces: Traces
    protocol: Protocol
    policies: tuple[bytes, ...] = ()
    raw_metadata: bytes = b""
    training_files: Mapping[str, bytes] = field(default_factory=dict)

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
        policies = dict(zip(self.metadata.policy_files, self.policies, strict=True))
        return {
            METADATA_FILE: self.raw_metadata or self.metadata.to_json(),
            TRACES_FILE: self.traces.to_npz(),
            **policies,
            **self.training_files,
        }

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
            states=self._states(index),
        )

    def _links(self, index: int) -> tuple[bytes, ...]:
        if self.traces.links is None:
            return ()
        links = self.traces.links[self._link_starts[index] : self._link_starts[index + 1]]
        return tuple(link.tobytes() for link in links)

    @cached_property
    def _state_starts(self) -> np.ndarray:
        return _starts_of(self._state_form.counts(self.traces.lengths))

    @property
    def _state_form(self) -> StateForm:
        form = self.protocol.state_form
        assert form is not None  # there are states
        return form

    def _states(self, index: int) -> np.ndarray | None:
        if self.traces.states is None:
            return None
        numbers = self.traces.states[self._state_starts[index] : self._state_starts[index + 1]]
        return numbers.reshape(-1, self._state_form.sizes[index % len(self.protocol.task_indices)])


def read_submission(folder: str | PathLike, max_steps: int | None = None) -> Submission:
    """Read a submission's folder, trusting nothing in it.

    Args:
        folder: The folder, which holds ``submission.json``, ``traces.npz``, the policies' files and the lists of
            training tasks if the metadata say so, and nothing else.
        max_steps: Steps of all runs together that are accepted; ``None``: the usual limit.

    Raises:
        InvalidSubmissionError: The folder, a file, a field or an array is not as the benchmark demands.
    """
    with PlainFolder(Path(folder), (METADATA_FILE, TRACES_FILE), _EXTRA_FILES) as files:
        raw_metadata = files.read(METADATA_FILE, MAX_METADATA_BYTES)
        metadata = parse_metadata(raw_metadata)
        protocol = Protocol(checked_benchmark(metadata))
        limits = protocol.trace_limits(len(metadata.runs), max_steps)
        policies, training_files = read_policies(files, metadata), read_training_files(files, metadata)
        raw_traces = files.read(TRACES_FILE, limits.max_bytes)
    traces = parse_traces(raw_traces, limits)
    return _checked(Submission(metadata, traces, protocol, policies, raw_metadata, training_files))


def checked_submission(
    raw_metadata: bytes, raw_traces: bytes, policies: tuple[bytes, ...] = (), max_steps: int | None = None
) -> Submission:
    """The submission that these files' contents are; arguments and errors as of :func:`read_submission`."""
    metadata = parse_metadata(raw_metadata)
    protocol = Protocol(checked_benchmark(metadata))
    traces = parse_traces(raw_traces, protocol.trace_limits(len(metadata.runs), max_steps))
    return _checked(Submission(metadata, traces, protocol, policies, raw_metadata))


def _checked(submission: Submission) -> Submission:
    _check_episodes(submission)
    _check_actions(submission)
    return submission


def read_policies(files: PlainFolder, metadata: Metadata) -> tuple[bytes, ...]:
    """The policies in a folder: those that the metadata announce, each what its hash says, and no others.

    Raises:
        InvalidSubmissionError: A policy is missing, too many, too large or another than the metadata say.
    """
    announced = metadata.policy_files
    check_extra_files(files, POLICY_FILES, announced, "no policies")
    sizes = [files.size(name, MAX_POLICY_BYTES) for name in announced]
    if sum(sizes) > MAX_POLICIES_BYTES:
        raise InvalidSubmissionError(
            "folder", "size of all policies in bytes", sum(sizes), f"at most {MAX_POLICIES_BYTES}"
        )
    policies = []
    for name, size, run in zip(announced, sizes, metadata.runs):
        policy = files.read(name, size)
        digest = hashlib.sha256(policy).hexdigest()
        if digest != run.policy_hash:
            raise InvalidSubmissionError(name, "SHA-256", digest, f"{run.policy_hash}, the policy_hash of its run")
        policies.append(policy)
    return tuple(policies)


def write_submission(submission: Submission, folder: str | PathLike) -> None:
    """Write a submission to the new folder ``folder``, all or nothing.

    Raises:
        ExistingFolderError: ``folder`` exists.
        InvalidSubmissionError: What would be written could not be read again.
    """
    folder = Path(folder)
    check_writable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # How much of it is replayed is for the verifier to say.
    check = partial(read_submission, max_steps=ANY_STEPS)
    write_plain_folder(folder, submission.files(), staging=folder.parent, check=check)


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
    _check_curves(metadata, benchmark)
    for index, run in enumerate(metadata.runs):
        scripted = scripted_name(run.policy_hash, benchmark.environment_id)
        if scripted is not None and get_method(scripted).oracle and not metadata.oracle:
            raise InvalidSubmissionError(
                METADATA_FILE, "oracle", metadata.oracle, f"true: runs[{index}] is {scripted!r}, which knows the task"
            )
        if run in metadata.runs[:index]:
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{index}]",
                f"the same as runs[{metadata.runs.index(run)}]",
                "runs that differ in training seed or policy",
            )
    return benchmark


def _check_curves(metadata: Metadata, benchmark: Benchmark) -> None:
    """The points of learning curves are scores of the benchmark, or of others of its kind that were trained on."""
    low, high = (0.0, 1.0) if benchmark.metric == "success" else (benchmark.minimum, benchmark.maximum)
    spare = 0.0 if benchmark.metric == "success" else high - low  # training tasks may be harder, or easier
    for index, run in enumerate(metadata.runs):
        for place, point in enumerate([] if run.training is None else run.training.curve):
            if not low - spare <= point.score <= high + spare:
                raise InvalidSubmissionError(
                    METADATA_FILE,
                    f"runs[{index}].training.curve[{place}].score",
                    point.score,
                    f"a mean {benchmark.metric} from {low - spare:g} to {high + spare:g}",
                )


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

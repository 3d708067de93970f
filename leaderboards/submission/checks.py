"""Checks of a submission against its benchmark and its protocol."""

import numpy as np
from gymnasium.vector.utils import batch_space

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import EXERCISES, get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE

#: Actions whose space is checked together: millions at once would need gigabytes.
_CHECKED_AT_ONCE = 2**16


def checked_benchmark(metadata: Metadata) -> Benchmark:
    """The benchmark that the metadata name, after checking that they keep to it."""
    try:
        benchmark = get_benchmark(metadata.benchmark)
    except UnknownNameError as error:
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", metadata.benchmark, f"one of {error.listed}") from None
    if benchmark.id in EXERCISES:
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", benchmark.id, "a track: it is an exercise")
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
        if scripted is not None and (metadata.training_steps or run.training is not None):
            raise InvalidSubmissionError(
                METADATA_FILE,
                "training_steps",
                metadata.training_steps,
                f"0 and no training: runs[{index}] is {scripted!r}, which does not learn",
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


def check_episodes(submission: Submission) -> None:
    """The runs, tasks and seeds must be those of the protocol, in its order."""
    protocol, traces = submission.protocol, submission.recorded
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


def check_actions(submission: Submission) -> None:
    """Every action must lie in the action space."""
    actions, space = submission.recorded.actions, submission.protocol.action_space
    for start in range(0, len(actions), _CHECKED_AT_ONCE):
        part = actions[start : start + _CHECKED_AT_ONCE]
        if not batch_space(space, len(part)).contains(part):
            at = start + next(index for index, action in enumerate(part) if not space.contains(action))
            episode = int(np.searchsorted(submission.starts, at, side="right")) - 1
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"action {at - int(submission.starts[episode])} of "
                f"{episode_place(episode, len(submission.protocol.task_indices))}",
                actions[at].tolist(),
                f"a member of {space}",
            )


def episode_place(index: int, episodes_per_run: int) -> str:
    """How errors name the episode at ``index``, e.g. ``"run 1, episode 7"``."""
    return f"run {index // episodes_per_run}, episode {index % episodes_per_run}"

"""What became of an entry's episodes: replayed from its traces, one by one and task by task."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.board import Entry, read_entry_submission
from procgen_bench.leaderboards.replay import Outcome, replay_for
from procgen_bench.leaderboards.submission import EpisodeTrace
from procgen_bench.leaderboards.verification import episode_score

#: Points of a curve over a record: as many groups of tasks, where the record has more different values.
_GROUPS = 10


@dataclass(frozen=True, eq=False)
class PlayedEpisode:
    """One episode of an entry.

    Attributes:
        run: Index of its run.
        index: Its place in the run.
        trace: What was played.
        outcome: What came of it.
        score: Its score under the benchmark's metric.
    """

    run: int
    index: int
    trace: EpisodeTrace
    outcome: Outcome
    score: float


@dataclass(frozen=True)
class TaskResult:
    """What an entry achieved on one task, mean over its runs and episodes.

    Attributes:
        name: The task's name.
        score: The published score.
        success: Share of episodes that solved it.
        return_: Undiscounted return.
        steps: Length of the episodes.
    """

    name: str
    score: float
    success: float
    return_: float
    steps: float


def play_back(entry: Entry, workers: int | None = None) -> list[PlayedEpisode]:
    """Replay all episodes of an entry, run after run; physics in so many processes, ``None``: in this one."""
    submission = read_entry_submission(entry)
    runs = [submission.episodes(run) for run in range(submission.num_runs)]
    every_trace = [trace for run in runs for trace in run]
    outcomes = iter(replay_for(entry.benchmark, every_trace, workers=workers))
    return [
        PlayedEpisode(run, index, trace, outcome, episode_score(entry.benchmark, outcome))
        for run, traces in enumerate(runs)
        for index, (trace, outcome) in enumerate(zip(traces, outcomes))
    ]


def play_back_some(entry: Entry) -> list[tuple[str, PlayedEpisode]]:
    """Replay the episodes worth a look alone, each with the reason: the best, and a median one.

    They are chosen by the scores that the entry records, which the verifier held against its replay.
    """
    submission = read_entry_submission(entry)
    per_run = len(submission.protocol.task_indices)
    by_score = np.argsort(submission.traces.scores, kind="stable")
    best, median = int(by_score[-1]), int(by_score[len(by_score) // 2])
    shown = []
    for reason, place in (
        (("best score", best), ("median score", median)) if best != median else (("best score", best),)
    ):
        run, index = divmod(place, per_run)
        trace = submission.episode(place)
        (outcome,) = replay_for(entry.benchmark, [trace])
        shown.append((reason, PlayedEpisode(run, index, trace, outcome, trace.claimed_score)))
    return shown


def task_results(entry: Entry, episodes: Sequence[PlayedEpisode]) -> list[TaskResult]:
    """The entry's results task by task, in the suite's order; ``episodes`` are all of :func:`play_back`."""
    shape = (len(entry.metadata.runs), entry.scores.shape[1], entry.benchmark.episodes_per_task)

    def by_task(values: list[float]) -> list[float]:
        return np.array(values, np.float64).reshape(shape).mean(axis=(0, 2)).tolist()

    names = [episode.trace.task_name for episode in episodes[: shape[1] * shape[2] : shape[2]]]
    return [
        TaskResult(*result)
        for result in zip(
            names,
            entry.scores.mean(axis=0).tolist(),
            by_task([episode.outcome.success for episode in episodes]),
            by_task([episode.outcome.return_ for episode in episodes]),
            by_task([episode.outcome.steps for episode in episodes]),
        )
    ]


def grouped_means(records: np.ndarray, scores: np.ndarray) -> list[tuple[float, float]]:
    """How scores change with a record: (mean record, mean score) of groups of tasks of similar records.

    Args:
        records: (tasks,), what is known of each task, e.g. the length of its shortest solution.
        scores: (tasks,), the task's score.
    """
    values = np.unique(records)
    if len(values) > _GROUPS:
        inner = np.quantile(records, np.linspace(0, 1, _GROUPS + 1)[1:-1])
        group = np.searchsorted(np.unique(inner), records)
    else:
        group = np.searchsorted(values, records)
    return [(float(records[group == g].mean()), float(scores[group == g].mean())) for g in np.unique(group)]

"""Verification: the score of a submission is what its replayed actions earn; a claim of anything else is refused."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.metadata import METADATA_FILE
from procgen_bench.leaderboards.replay import Outcome, replay
from procgen_bench.leaderboards.submission import Submission, episode_place
from procgen_bench.leaderboards.traces import TRACES_FILE


class Tier(StrEnum):
    """How far a row is to be believed, best first: the order in which rows rank."""

    RERUN = "re-run"  #: the policy itself was played by the verifier
    REPLAYED = "replayed"  #: its actions earn the score; that a policy chose them is the submitter's word

    @property
    def precedence(self) -> int:
        """0 for the tier that ranks first."""
        return list(Tier).index(self)


@dataclass(frozen=True, eq=False)
class Verification:
    """What a submission scores.

    Attributes:
        tier: How it was verified.
        score: The benchmark's metric: mean over tasks and runs.
        scores: float64 (runs, tasks), mean over each task's episodes.
        episode_scores: float64 (runs, episodes), in the protocol's order.
        unfinished_episodes: How many episodes were not played to their end and score the benchmark's minimum.
    """

    tier: Tier
    score: float
    scores: np.ndarray
    episode_scores: np.ndarray
    unfinished_episodes: int


def verify(submission: Submission, progress: str | None = None) -> Verification:
    """Replay a submission and hold its claims against what the replay gives.

    Args:
        submission: The submission, as :func:`~procgen_bench.leaderboards.submission.read_submission` returns it.
        progress: Title of a progress bar; ``None`` for none.

    Raises:
        InvalidSubmissionError: An episode goes on after its end, or a claimed score is not the replayed one.
    """
    verification = replayed_scores(submission, progress)
    _check_claims(submission, verification)
    return verification


def replayed_scores(submission: Submission, progress: str | None = None) -> Verification:
    """What the replay gives, whatever is claimed.

    Raises:
        InvalidSubmissionError: An episode goes on after its end.
    """
    benchmark = submission.benchmark
    per_run = len(submission.protocol.task_indices)
    episodes = [episode for run in range(submission.num_runs) for episode in submission.episodes(run)]
    outcomes = replay(benchmark.environment_id, episodes, progress)
    for index, (episode, outcome) in enumerate(zip(episodes, outcomes)):
        if outcome.steps < len(episode.actions):
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"number of actions of {episode_place(index, per_run)}",
                len(episode.actions),
                f"{outcome.steps}: too many steps, the episode ends there",
            )
    episode_scores = np.array([episode_score(benchmark, outcome) for outcome in outcomes])
    num_tasks = len(submission.protocol.suite)
    by_task = episode_scores.reshape(submission.num_runs, num_tasks, benchmark.episodes_per_task)
    return Verification(
        tier=Tier.REPLAYED,
        score=exact_mean(episode_scores),
        scores=np.array([[exact_mean(task) for task in run] for run in by_task]),
        episode_scores=episode_scores.reshape(submission.num_runs, per_run),
        unfinished_episodes=sum(not outcome.finished for outcome in outcomes),
    )


def episode_score(benchmark: Benchmark, outcome: Outcome) -> float:
    """An episode's score under the benchmark's metric; its minimum for an episode that was not played to its end."""
    if not outcome.finished:
        return benchmark.minimum
    return float(outcome.success) if benchmark.metric == "success" else outcome.return_


def exact_mean(values: Sequence[float] | np.ndarray) -> float:
    """The mean, from the exactly rounded sum: the same on every machine and in every order."""
    return math.fsum(values) / len(values)


def _check_claims(submission: Submission, verification: Verification) -> None:
    tolerance = submission.benchmark.tolerance
    replayed, claimed = verification.episode_scores.ravel(), submission.traces.scores
    agrees = np.abs(claimed - replayed) <= tolerance  # false for NaN
    for index in np.flatnonzero(~agrees)[:1]:
        raise InvalidSubmissionError(
            TRACES_FILE,
            f"score of {episode_place(index, verification.episode_scores.shape[1])}",
            float(claimed[index]),
            f"{float(replayed[index])!r}, what its replay gives",
        )
    if not abs(submission.metadata.claimed_score - verification.score) <= tolerance:
        raise InvalidSubmissionError(
            METADATA_FILE,
            "claimed_score",
            submission.metadata.claimed_score,
            f"{verification.score!r}, what the replay gives",
        )

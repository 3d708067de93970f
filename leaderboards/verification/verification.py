"""Verification of recorded actions: their score is what they earn; a claim of anything else is refused."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.provenance import package_versions
from procgen_bench.leaderboards.errors import InvalidSubmissionError, OtherVersionsError, brief
from procgen_bench.leaderboards.scores import exact_mean, least_difference, without_rounding
from procgen_bench.leaderboards.submission.checks import episode_place
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE
from procgen_bench.leaderboards.verification.replay import Outcome, replay

#: How many of the versions that differ an error names.
_MAX_VERSIONS = 2
#: Packages that may give other episodes of the same actions in another version.
_DECIDING = {"procgen-bench", "gymnasium", "numpy", "numba", "mujoco", "gymnasium-robotics", "pybullet", "minigrid"}


class Tier(StrEnum):
    """How far a row is to be believed. Rows of the first tier alone have a rank."""

    RERUN = "re-run"  #: its policies were played
    REPLAYED = "replayed"  #: its actions earn the score; that a policy chose them is the submitter's word


#: What an episode came to, played or replayed.
EndedEpisode = Episode | Outcome


@dataclass(frozen=True, eq=False)
class Verification:
    """What a submission scores on the suite.

    Attributes:
        score: The benchmark's metric: mean over tasks and runs, exact and within its range.
        scores: float64 (runs, tasks), mean over each task's episodes.
        episode_scores: float64 (runs, episodes), in the protocol's order.
        unfinished_episodes: How many episodes were not played to their end and score the benchmark's minimum.
    """

    score: float
    scores: np.ndarray
    episode_scores: np.ndarray
    unfinished_episodes: int


def verify(submission: Submission, progress: str | None = None) -> tuple[Verification, list[Outcome]]:
    """Replay a submission's recorded actions and hold its claims against what the replay gives.

    Raises:
        InvalidSubmissionError: An episode goes on after its end, or a claimed score is not the replayed one.
        OtherVersionsError: The same, but what was sent was played with other versions, which may play differently.
    """
    with _forgery_if_versions_agree(submission.metadata):
        outcomes = replay(submission.benchmark, submission.all_episodes(), progress)
        verification = verification_of(submission, outcomes)
        _check_lengths(submission, outcomes)
        _check_claims(submission, verification)
        check_claimed_score(submission, verification)
        return verification, outcomes


@contextmanager
def _forgery_if_versions_agree(metadata: Metadata) -> Iterator[None]:
    """A claim that does not hold inside is a forgery where what decides episodes has the versions that played them.

    Raises:
        OtherVersionsError: A claim does not hold, and it has not.
    """
    try:
        yield
    except InvalidSubmissionError as error:
        recorded = metadata.package_versions.keys() & _DECIDING
        others = [one for one in _other_versions(metadata) if one.partition(" ")[0] in recorded]
        if others:
            raise OtherVersionsError(error.fault, "; ".join(others[:_MAX_VERSIONS])) from None
        raise


def verification_of(submission: Submission, outcomes: Sequence[EndedEpisode]) -> Verification:
    """What these outcomes of all runs' episodes give, whatever is claimed."""
    benchmark = submission.benchmark
    episode_scores = np.array([episode_score(benchmark, outcome) for outcome in outcomes])
    by_task = episode_scores.reshape(submission.num_runs, len(submission.protocol.suite), benchmark.episodes_per_task)
    return Verification(
        score=float(without_rounding(np.array(exact_mean(episode_scores)), benchmark)),
        scores=np.array([[exact_mean(task) for task in run] for run in by_task]),
        episode_scores=episode_scores.reshape(submission.num_runs, -1),
        unfinished_episodes=sum(not outcome.finished for outcome in outcomes),
    )


def episode_score(benchmark: Benchmark, outcome: EndedEpisode) -> float:
    """An episode's score under the benchmark's metric; its minimum for one that was not played to its end."""
    if not outcome.finished:
        return benchmark.minimum
    return float(outcome.success) if benchmark.metric == "success" else float(outcome.return_)


def _check_lengths(submission: Submission, outcomes: Sequence[Outcome]) -> None:
    """Refuse actions after an episode's end."""
    for index, (episode, outcome) in enumerate(zip(submission.all_episodes(), outcomes, strict=True)):
        if outcome.length < len(episode.actions):
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"number of actions of {episode_place(index, len(submission.protocol.task_indices))}",
                len(episode.actions),
                f"{outcome.length}: too many steps, the episode ends there",
            )


def _check_claims(submission: Submission, verification: Verification) -> None:
    """Refuse an episode's score that is not the replayed one."""
    replayed, claimed = verification.episode_scores.ravel().tolist(), submission.recorded.scores.tolist()
    for index, found in enumerate(replayed):
        if not abs(claimed[index] - found) <= submission.benchmark.tolerance:  # NaN is not
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"score of {episode_place(index, verification.episode_scores.shape[1])}",
                claimed[index],
                f"{found!r}, what its replay gives",
            )


def check_claimed_score(submission: Submission, verification: Verification) -> None:
    """Refuse a claim that is not the score, but for the rounding with which a mean is added up."""
    if not abs(submission.metadata.claimed_score - verification.score) <= least_difference(submission.benchmark):
        raise InvalidSubmissionError(
            METADATA_FILE,
            "claimed_score",
            submission.metadata.claimed_score,
            f"{verification.score!r}, what the replay gives",
        )


def _other_versions(metadata: Metadata) -> list[str]:
    """The packages that have other versions here than where the episodes were played, each with both."""
    return [
        f"{package} {brief(metadata.package_versions.get(package))}, here {brief(version)}"
        for package, version in package_versions().items()
        if metadata.package_versions.get(package) != version
    ]

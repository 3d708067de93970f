"""Verification: the score of a submission is what its replayed actions earn; a claim of anything else is refused."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError, UnverifiableError, brief
from procgen_bench.leaderboards.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.observation_chain import first_difference, links_array
from procgen_bench.leaderboards.replay import Outcome, replay_for
from procgen_bench.leaderboards.submission import EpisodeTrace, Submission, episode_place
from procgen_bench.leaderboards.traces import TRACES_FILE
from procgen_bench.provenance import package_versions

#: How many of the versions that differ an error names.
_MAX_VERSIONS = 2


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
        links: The replay's hash chains, as :class:`~procgen_bench.leaderboards.traces.Traces` holds them; ``None`` on
            exact tracks.
    """

    tier: Tier
    score: float
    scores: np.ndarray
    episode_scores: np.ndarray
    unfinished_episodes: int
    links: np.ndarray | None


def verify(submission: Submission, progress: str | None = None, workers: int | None = None) -> Verification:
    """Replay a submission and hold its claims against what the replay gives.

    Args:
        submission: The submission, as :func:`~procgen_bench.leaderboards.submission.read_submission` returns it.
        progress: Title of a progress bar; ``None`` for none.
        workers: Number of processes that replay physics; ``None``: this one does.

    Raises:
        InvalidSubmissionError: An episode goes on after its end, or a claimed score is not the replayed one.
        UnverifiableError: On a physics track, the replay of an episode observes something else than was recorded.
            Episodes of which it observes the same are held against their claims first: what they prove is proven.
    """
    episodes, outcomes = _replayed(submission, progress, workers)
    parted = [
        first_difference(episode.links, outcome.links, len(episode.actions))
        for episode, outcome in zip(episodes, outcomes)
    ]
    as_recorded = np.array([steps is None for steps in parted])
    verification = _scored(submission, outcomes)
    _check_lengths(submission, episodes, outcomes, as_recorded)
    _check_claims(submission, verification, as_recorded)
    for index in np.flatnonzero(~as_recorded)[:1]:
        place = episode_place(index, verification.episode_scores.shape[1])
        raise UnverifiableError(place, parted[index], _remedy(submission.metadata))
    _check_claimed_score(submission, verification)
    return verification


def replayed_scores(submission: Submission, progress: str | None = None, workers: int | None = None) -> Verification:
    """What the replay gives, whatever is claimed or was observed; arguments as of :func:`verify`.

    Raises:
        InvalidSubmissionError: An episode goes on after its end.
    """
    episodes, outcomes = _replayed(submission, progress, workers)
    _check_lengths(submission, episodes, outcomes, np.ones(len(episodes), np.bool_))
    return _scored(submission, outcomes)


def _replayed(
    submission: Submission, progress: str | None, workers: int | None
) -> tuple[list[EpisodeTrace], list[Outcome]]:
    benchmark = submission.benchmark
    episodes = [episode for run in range(submission.num_runs) for episode in submission.episodes(run)]
    return episodes, replay_for(benchmark, episodes, progress, workers)


def _scored(submission: Submission, outcomes: Sequence[Outcome]) -> Verification:
    benchmark = submission.benchmark
    per_run = len(submission.protocol.task_indices)
    episode_scores = np.array([episode_score(benchmark, outcome) for outcome in outcomes])
    num_tasks = len(submission.protocol.suite)
    by_task = episode_scores.reshape(submission.num_runs, num_tasks, benchmark.episodes_per_task)
    return Verification(
        tier=Tier.REPLAYED,
        score=exact_mean(episode_scores),
        scores=np.array([[exact_mean(task) for task in run] for run in by_task]),
        episode_scores=episode_scores.reshape(submission.num_runs, per_run),
        unfinished_episodes=sum(not outcome.finished for outcome in outcomes),
        links=links_array([outcome.links for outcome in outcomes]) if benchmark.physics else None,
    )


def episode_score(benchmark: Benchmark, outcome: Outcome) -> float:
    """An episode's score under the benchmark's metric; its minimum for an episode that was not played to its end."""
    if not outcome.finished:
        return benchmark.minimum
    return float(outcome.success) if benchmark.metric == "success" else outcome.return_


def exact_mean(values: Sequence[float] | np.ndarray) -> float:
    """The mean, from the exactly rounded sum: the same on every machine and in every order."""
    return math.fsum(values) / len(values)


def _check_lengths(
    submission: Submission, episodes: Sequence[EpisodeTrace], outcomes: Sequence[Outcome], checked: np.ndarray
) -> None:
    """Refuse actions after an episode's end; ``checked`` (bool) are the episodes that are looked at."""
    for index in np.flatnonzero(checked):
        recorded, played = len(episodes[index].actions), outcomes[index].steps
        if played < recorded:
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"number of actions of {episode_place(index, len(submission.protocol.task_indices))}",
                recorded,
                f"{played}: too many steps, the episode ends there",
            )


def _check_claims(submission: Submission, verification: Verification, checked: np.ndarray) -> None:
    """Refuse an episode's score that is not the replayed one; ``checked`` (bool) are those that are looked at."""
    replayed, claimed = verification.episode_scores.ravel(), submission.traces.scores
    agrees = np.abs(claimed - replayed) <= submission.benchmark.tolerance  # false for NaN
    for index in np.flatnonzero(checked & ~agrees)[:1]:
        raise InvalidSubmissionError(
            TRACES_FILE,
            f"score of {episode_place(index, verification.episode_scores.shape[1])}",
            float(claimed[index]),
            f"{float(replayed[index])!r}, what its replay gives",
        )


def _check_claimed_score(submission: Submission, verification: Verification) -> None:
    if not abs(submission.metadata.claimed_score - verification.score) <= submission.benchmark.tolerance:
        raise InvalidSubmissionError(
            METADATA_FILE,
            "claimed_score",
            submission.metadata.claimed_score,
            f"{verification.score!r}, what the replay gives",
        )


def _remedy(metadata: Metadata) -> str:
    """What the submitter of an unverifiable submission can do."""
    here = package_versions()
    others = [
        f"{package} {brief(metadata.package_versions.get(package))}, here {brief(version)}"
        for package, version in here.items()
        if metadata.package_versions.get(package) != version
    ]
    versions = f"those of its record ({'; '.join(others[:_MAX_VERSIONS])})" if others else "as here"
    return (
        f"verify it on the same kind of machine, it was recorded on {brief(metadata.hardware)}, "
        f"with the same package versions, {versions}"
    )

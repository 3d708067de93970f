"""Verification: the score of a submission is what its replayed actions earn; a claim of anything else is refused."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.provenance import package_versions
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.errors import InvalidSubmissionError, OtherVersionsError, UnverifiableError, brief
from procgen_bench.leaderboards.scores import exact_mean, least_difference, without_rounding
from procgen_bench.leaderboards.submission.checks import episode_place
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.observation_chain import links_array
from procgen_bench.leaderboards.submission.submission import EpisodeTrace, Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE
from procgen_bench.leaderboards.verification.replay import Outcome, replay_for
from procgen_bench.leaderboards.verification.segments import Followed, follow
from procgen_bench.leaderboards.verification.training_overlap import TrainingOverlap

#: How many of the versions that differ an error names.
_MAX_VERSIONS = 2
#: Packages that may give other episodes of the same actions in another version.
_DECIDING = {"procgen-bench", "gymnasium", "numpy", "numba", "mujoco", "gymnasium-robotics", "pybullet", "minigrid"}


class Tier(StrEnum):
    """How far a row is to be believed. Rows of the first tier alone have a rank."""

    RERUN = "re-run"  #: the policy itself was played by the verifier
    REPLAYED = "replayed"  #: its actions earn the score; that a policy chose them is the submitter's word


@dataclass(frozen=True, eq=False)
class Verification:
    """What a submission scores.

    Attributes:
        tier: How it was verified.
        score: The benchmark's metric: mean over tasks and runs, exact and within its range.
        scores: float64 (runs, tasks), mean over each task's episodes.
        episode_scores: float64 (runs, episodes), in the protocol's order.
        unfinished_episodes: How many episodes were not played to their end and score the benchmark's minimum.
        links, states: What the replay gave of what a submission records of physics, as
            :class:`~procgen_bench.leaderboards.submission.traces.Traces` holds it; ``None`` where that is nothing, and
            of :func:`verify`, which goes by the record.
        by_segments: How many episodes were verified by segments, not bit for bit (:mod:`.segments`).
        deviation: The greatest difference of a state from the recorded one.
        training: What each run met of the suite in its training (:mod:`.training_overlap`), as
            :func:`~procgen_bench.leaderboards.rerun.rerun.verify_and_rerun` finds it; ``None`` for a run that does not
            state its training tasks.
        parameters: Of each policy that was played, how many numbers its tensors hold.
    """

    tier: Tier
    score: float
    scores: np.ndarray
    episode_scores: np.ndarray
    unfinished_episodes: int
    links: np.ndarray | None = None
    states: np.ndarray | None = None
    by_segments: int = 0
    deviation: float = 0.0
    training: tuple[TrainingOverlap | None, ...] = ()
    parameters: tuple[int, ...] = ()


def verify(submission: Submission, progress: str | None = None, workers: Workers = None) -> Verification:
    """Replay a submission and hold its claims against what the replay gives.

    Args:
        submission: The submission, as :func:`~procgen_bench.leaderboards.submission.folder.read_submission` returns
            it.
        progress: Title of a progress bar; ``None`` for none.
        workers: Who replays physics.

    Raises:
        InvalidSubmissionError: An episode goes on after its end, a claimed score is not the replayed one, or states
            are not those of the episode.
        OtherVersionsError: The same, but what was sent was played with other versions, which may play differently.
        UnverifiableError: On a physics track, the replay of an episode observes something else than was recorded, and
            does not give the same by segments. Episodes of which it observes the same are held against their claims
            first: what they prove is proven.
    """
    with forgery_if_versions_agree(submission.metadata):
        return _verify(submission, progress, workers)


@contextmanager
def forgery_if_versions_agree(metadata: Metadata) -> Iterator[None]:
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


def _verify(submission: Submission, progress: str | None, workers: Workers) -> Verification:
    if submission.benchmark.physics:
        return _verify_physics(submission, progress, workers)
    episodes = submission.all_episodes()
    outcomes = replay_for(submission.benchmark, episodes, progress, workers)
    verification = _scored(submission, outcomes)
    everything = range(len(episodes))
    _check_lengths(submission, episodes, outcomes, everything)
    _check_claims(submission, verification, everything)
    check_claimed_score(submission, verification)
    return verification


def replayed_scores(submission: Submission, progress: str | None = None, workers: Workers = None) -> Verification:
    """What the replay gives, whatever is claimed or was observed; arguments as of :func:`verify`.

    Raises:
        InvalidSubmissionError: An episode goes on after its end.
    """
    outcomes = replay_for(submission.benchmark, submission.all_episodes(), progress, workers)
    return recorded_scores(submission, outcomes)


def recorded_scores(submission: Submission, outcomes: Sequence[Outcome]) -> Verification:
    """What these outcomes of its episodes give, whatever is claimed or was observed.

    Raises:
        InvalidSubmissionError: An episode goes on after its end.
    """
    benchmark, episodes = submission.benchmark, submission.all_episodes()
    _check_lengths(submission, episodes, outcomes, range(len(episodes)))
    states = [outcome.states.ravel() for outcome in outcomes if outcome.states is not None]
    return replace(
        _scored(submission, outcomes),
        links=links_array([outcome.links for outcome in outcomes]) if benchmark.physics else None,
        states=np.concatenate(states) if benchmark.segments is not None else None,
    )


def _verify_physics(submission: Submission, progress: str | None, workers: Workers) -> Verification:
    episodes = submission.all_episodes()
    followed = follow(submission.benchmark, episodes, progress, workers)
    outcomes = [one.outcome for one in followed]
    verification = _scored(submission, outcomes)
    bit_for_bit = [index for index, one in enumerate(followed) if one.parted is None]
    _check_lengths(submission, episodes, outcomes, bit_for_bit)
    _check_claims(submission, verification, bit_for_bit)
    _check_states(submission, followed, bit_for_bit)
    for index, (episode, one) in enumerate(zip(episodes, followed)):
        if one.parted is not None:
            _check_segments(submission, index, episode, one)
    check_claimed_score(submission, verification)
    return replace(
        verification,
        by_segments=len(episodes) - len(bit_for_bit),
        deviation=max((one.deviation for one in followed if one.deviation is not None), default=0.0),
    )


def _scored(submission: Submission, outcomes: Sequence[Outcome]) -> Verification:
    benchmark = submission.benchmark
    per_run = len(submission.protocol.task_indices)
    episode_scores = np.array([episode_score(benchmark, outcome) for outcome in outcomes])
    num_tasks = len(submission.protocol.suite)
    by_task = episode_scores.reshape(submission.num_runs, num_tasks, benchmark.episodes_per_task)
    return Verification(
        tier=Tier.REPLAYED,
        score=float(without_rounding(np.array(exact_mean(episode_scores)), benchmark)),
        scores=np.array([[exact_mean(task) for task in run] for run in by_task]),
        episode_scores=episode_scores.reshape(submission.num_runs, per_run),
        unfinished_episodes=sum(not outcome.finished for outcome in outcomes),
    )


def episode_score(benchmark: Benchmark, outcome: Outcome) -> float:
    """An episode's score under the benchmark's metric; its minimum for an episode that was not played to its end."""
    if not outcome.finished:
        return benchmark.minimum
    return float(outcome.success) if benchmark.metric == "success" else outcome.return_


def _check_lengths(
    submission: Submission, episodes: Sequence[EpisodeTrace], outcomes: Sequence[Outcome], checked: Iterable[int]
) -> None:
    """Refuse actions after an episode's end; ``checked`` are the episodes that are looked at."""
    for index in checked:
        recorded, played = len(episodes[index].actions), outcomes[index].steps
        if played < recorded:
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"number of actions of {episode_place(index, len(submission.protocol.task_indices))}",
                recorded,
                f"{played}: too many steps, the episode ends there",
            )


def _check_claims(submission: Submission, verification: Verification, checked: Iterable[int]) -> None:
    """Refuse an episode's score that is not the replayed one; ``checked`` are the episodes that are looked at."""
    replayed, claimed = verification.episode_scores.ravel().tolist(), submission.traces.scores.tolist()
    for index in checked:
        if not abs(claimed[index] - replayed[index]) <= submission.benchmark.tolerance:  # NaN is not
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"score of {episode_place(index, verification.episode_scores.shape[1])}",
                claimed[index],
                f"{replayed[index]!r}, what its replay gives",
            )


def _check_states(submission: Submission, followed: Sequence[Followed], checked: Iterable[int]) -> None:
    """Refuse states of an episode that was observed as recorded, and yet was elsewhere."""
    segments = submission.benchmark.segments
    for index in checked:
        found = followed[index].deviation
        if segments is not None and found is not None and found > segments.tolerance:
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"state of {episode_place(index, len(submission.protocol.task_indices))} at step "
                f"{followed[index].step}",
                f"off by {found:.3g}",
                f"what its replay gives, to {segments.tolerance:g}",
            )


def _check_segments(submission: Submission, index: int, episode: EpisodeTrace, followed: Followed) -> None:
    """Refuse to believe an episode that parts from its record, unless by segments it gives what is claimed."""
    fault = _fault_of_segments(submission.benchmark, episode, followed)
    if fault:
        assert followed.parted is not None  # it was not bit for bit
        place = episode_place(index, len(submission.protocol.task_indices))
        raise UnverifiableError(place, followed.parted, f"{fault}; {_remedy(submission.metadata)}")


def _fault_of_segments(benchmark: Benchmark, episode: EpisodeTrace, followed: Followed) -> str:
    """What keeps an episode from being verified by segments, in words; empty if nothing does.

    An end or a score that differs may be a decision of the game that flips within the tolerance, and proves nothing.
    """
    if benchmark.segments is None or followed.deviation is None:
        return "it has no states to go by segments"
    if followed.deviation > benchmark.segments.tolerance:
        return (
            f"by segments, it is off by {followed.deviation:.2g} at step {followed.step}, "
            f"{benchmark.segments.tolerance:g} is tolerated"
        )
    if followed.outcome.steps < len(episode.actions):
        return f"by segments, it ends after {followed.outcome.steps} of {len(episode.actions)} steps"
    score = episode_score(benchmark, followed.outcome)
    if not abs(episode.claimed_score - score) <= benchmark.tolerance:  # NaN is not
        return f"by segments, it scores {score!r}, {episode.claimed_score!r} is claimed"
    return ""


def check_claimed_score(submission: Submission, verification: Verification, spare: float = 0.0) -> None:
    """Refuse a claim that is not the score, by more than ``spare`` and the rounding with which a mean is added up."""
    spare = max(spare, least_difference(submission.benchmark))
    if not abs(submission.metadata.claimed_score - verification.score) <= spare:
        raise InvalidSubmissionError(
            METADATA_FILE,
            "claimed_score",
            submission.metadata.claimed_score,
            f"{verification.score!r}, what the replay gives" + (f", to {spare:.2g}" if spare > 1e-6 else ""),
        )


def _remedy(metadata: Metadata) -> str:
    """What the submitter of an unverifiable submission can do."""
    others = _other_versions(metadata)
    versions = f"those of its record ({'; '.join(others[:_MAX_VERSIONS])})" if others else "as here"
    return (
        f"verify it on the same kind of machine, it was recorded on {brief(metadata.hardware)}, "
        f"with the same package versions, {versions}"
    )


def _other_versions(metadata: Metadata) -> list[str]:
    """The packages that have other versions here than where the episodes were played, each with both."""
    return [
        f"{package} {brief(metadata.package_versions.get(package))}, here {brief(version)}"
        for package, version in package_versions().items()
        if metadata.package_versions.get(package) != version
    ]

"""Re-running: the verifier plays the policies itself, on episodes of its own, and trusts nothing in their files."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from procgen_bench.baselines.policies.episode import Episode, PolicyCrashedError
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, PolicyStoppedError
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.errors import InvalidSubmissionError, RerunFailedError
from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.submission.metadata import policy_file
from procgen_bench.leaderboards.submission.protocol import check_policy_options
from procgen_bench.leaderboards.submission.submission import EpisodeTrace, Submission
from procgen_bench.leaderboards.verification.fresh_episodes import FreshEpisode, commitment, fresh_episodes
from procgen_bench.leaderboards.verification.replay import replay_for
from procgen_bench.leaderboards.verification.training_overlap import check_training_lists, training_overlaps
from procgen_bench.leaderboards.verification.verification import Verification, episode_score, verify

#: By how much of a benchmark's range, or by how many standard errors, fresh scores may stay behind the suite's.
_SPARE_SHARE, _SPARE_ERRORS = 0.1, 4.0
#: Episodes of physics that a sandbox plays from its loading on.
_EPISODES_PER_PART = 10


@dataclass(frozen=True, eq=False)
class Rerun:
    """What the policies of a submission scored on fresh episodes.

    Attributes:
        scores: float64 (runs, episodes).
        seconds: Wall time.
        secret: SHA-256 of the secret that tasks and seeds were derived from.
    """

    scores: np.ndarray
    seconds: float
    secret: str

    @property
    def score(self) -> float:
        """Mean over runs and episodes."""
        return exact_mean(self.scores.ravel())


def verify_and_rerun(
    submission: Submission, secret: bytes, show_progress: bool = False, workers: Workers = None
) -> tuple[Verification, Rerun | None]:
    """All that a verifier does: look through the lists of training tasks, replay the episodes and, if the submission
    brings its policies and the benchmark has fresh tasks, play them on these.

    Arguments and errors are those of :func:`~.training_overlap.check_training_lists`,
    :func:`~.training_overlap.training_overlaps`, :func:`~.verification.verify` and :func:`rerun`.
    """
    check_training_lists(submission)
    verification = verify(submission, "replaying" if show_progress else None, workers)
    verification = replace(verification, training=training_overlaps(submission))  # which may have to draw many tasks
    if not (submission.policies and submission.benchmark.has_fresh_tasks):
        return verification, None
    return verification, rerun(submission, verification, secret, "re-running" if show_progress else None, workers)


def rerun(
    submission: Submission,
    verification: Verification,
    secret: bytes,
    progress: str | None = None,
    workers: Workers = None,
) -> Rerun:
    """Play a submission's policies on fresh episodes, and hold what they score against the suite's scores.

    Args:
        submission: One that brings its policies.
        verification: What its replay gave.
        secret: The verifier's.
        progress: Title of a progress bar; ``None`` for none.
        workers: Who plays physics.

    Raises:
        InvalidSubmissionError: A policy's file is refused, or the policy is stopped.
        RerunFailedError: The policies stay significantly behind the suite's score: they did not choose the
            recorded actions, or can do nothing but the suite.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    start, benchmark, scores = time.perf_counter(), submission.benchmark, []
    runs = list(zip(submission.metadata.runs, submission.policies, strict=True))
    for index, (run, policy) in enumerate(tqdm(runs, desc=progress, unit="policy", delay=2, disable=progress is None)):
        episodes = fresh_episodes(benchmark, run.policy_hash, secret)
        played = _played(policy, policy_file(index), benchmark, episodes, workers)
        outcomes = replay_for(benchmark, [_trace(*pair) for pair in zip(episodes, played)], workers=workers)
        scores.append([episode_score(benchmark, outcome) for outcome in outcomes])
    found = Rerun(np.array(scores), time.perf_counter() - start, commitment(secret))
    _check_gap(benchmark, verification, found)
    return found


def play_policy(
    policy: bytes, benchmark: Benchmark, episodes: Sequence[FreshEpisode], serial: bool
) -> tuple[list[Episode], str]:
    """Play episodes with the policy that an ONNX file holds, in a sandbox of its own.

    Returns:
        The episodes, and what went wrong; empty if nothing did.
    """
    tasks, seeds = [episode.task for episode in episodes], [episode.seed for episode in episodes]
    try:
        with SandboxedPolicy.from_bytes(policy, benchmark.environment_id) as sandboxed:
            check_policy_options(sandboxed)
            return play_episodes(sandboxed, benchmark.environment_id, tasks, seeds, serial=serial), ""
    except (InvalidPolicyError, InvalidOptionError, PolicyStoppedError) as error:
        return [], str(error)
    except PolicyCrashedError as crash:
        return [], str(crash.__cause__)


def _played(
    policy: bytes, name: str, benchmark: Benchmark, episodes: Sequence[FreshEpisode], workers: Workers
) -> list[Episode]:
    """The same, in parts that do not depend on the workers; physics in as many processes as there are."""
    size = _EPISODES_PER_PART if benchmark.physics else len(episodes)
    starts = range(0, len(episodes), size)
    jobs = [(policy, benchmark, episodes[start : start + size], benchmark.physics) for start in starts]
    parts: dict[int, list[Episode]] = {}
    with closing(finished_jobs(play_policy, jobs, workers if len(jobs) > 1 else None)) as results:
        for place, (played, fault) in results:
            if fault:
                expected = f"one that plays the fresh episodes to their end: {fault}"
                raise InvalidSubmissionError(name, "policy", "refused or stopped", expected)
            parts[place] = played
    return [episode for place in sorted(parts) for episode in parts[place]]


def _trace(episode: FreshEpisode, played: Episode) -> EpisodeTrace:
    return EpisodeTrace(episode.task, "fresh", 0, episode.seed, played.actions, claimed_score=np.nan)


def _check_gap(benchmark: Benchmark, verification: Verification, found: Rerun) -> None:
    suite, fresh = verification.episode_scores.ravel(), found.scores.ravel()
    error = np.sqrt(suite.var() / len(suite) + fresh.var() / len(fresh))
    spare = max(_SPARE_SHARE * (benchmark.maximum - benchmark.minimum), _SPARE_ERRORS * float(error))
    if verification.score - found.score > spare:
        raise RerunFailedError(benchmark.metric, verification.score, found.score, spare)

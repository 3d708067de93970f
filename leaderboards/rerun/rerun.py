"""Re-running: what a submission scores is what the verifier itself sees when it plays the policies.

It plays them on the suite, under the seeds that are bound to them, and on fresh episodes. What was sent of the suite is
held against that: on exact tracks the very actions, on physics tracks the score.
"""

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.sandbox.process import PLAYED_WITH
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.extras import check_modules
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.rerun.fresh_episodes import PlayedEpisode, commitment, fresh_episodes
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget, Played, play_policy
from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.submission.checks import episode_place
from procgen_bench.leaderboards.submission.metadata import policy_file
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import Traces
from procgen_bench.leaderboards.verification.training_overlap import check_training_lists, training_overlaps
from procgen_bench.leaderboards.verification.verification import (
    Tier,
    Verification,
    check_claimed_score,
    episode_score,
    forgery_if_versions_agree,
    recorded_scores,
    verify,
)

#: Greatest standard error of a fresh score, as a share of the benchmark's range; more episodes are played where it is
#: larger, up to so many times those of the benchmark.
MAX_ERROR, _MOST_TIMES = 0.03, 16
#: How much of an action's range two machines may round apart, where actions are real numbers.
_ROUNDED_ACTION = 1e-3
#: Half of a 95 % interval, in standard errors.
_INTERVAL_ERRORS = 1.96


@dataclass(frozen=True, eq=False)
class Rerun:
    """What the policies of a submission scored on fresh episodes.

    Attributes:
        scores: float64 (runs, episodes).
        seconds: Wall time of all that was played, the suite included.
        secret: SHA-256 of the secret that tasks and seeds were derived from.
    """

    scores: np.ndarray
    seconds: float
    secret: str

    @property
    def score(self) -> float:
        """Mean over runs and episodes."""
        return exact_mean(self.scores.ravel())

    @property
    def error(self) -> float:
        """Standard error of the score, over episodes."""
        return standard_error(self.scores)


def verify_and_rerun(
    submission: Submission,
    secret: bytes,
    show_progress: bool = False,
    workers: Workers = None,
    budget: Budget | None = None,
) -> tuple[Submission, Verification, Rerun | None]:
    """All that a verifier does with a submission.

    It looks through the lists of training tasks. If the submission brings its policies, and the benchmark has fresh
    tasks, it plays these on the suite and on fresh episodes; else it replays the recorded actions.

    Args:
        submission: The submission.
        secret: The verifier's, from which fresh episodes are drawn.
        show_progress: Whether progress bars are shown.
        workers: Who plays and replays physics.
        budget: The time that the policies may take; ``None``: the usual one.

    Returns:
        The submission, with the traces that the verifier played; what they score; what the policies score on fresh
        episodes, ``None`` where none were played.

    Raises:
        InvalidSubmissionError: A claim does not hold, a policy's file is refused, or the policy is stopped or chooses
            other actions than were sent.
        UnverifiableError: On a physics track, the replay of what was sent observes something else.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    environment_type(submission.benchmark.environment_id)  # what is needed is there, or nothing is begun
    if submission.policies and submission.benchmark.has_fresh_tasks:
        check_modules(*PLAYED_WITH)
    check_training_lists(submission)
    found = None
    if submission.policies and submission.benchmark.has_fresh_tasks:
        submission, verification, found = rerun(submission, secret, show_progress, workers, budget)
    else:
        verification = verify(submission, "replaying" if show_progress else None, workers)
    # At last, since it may have to draw many tasks.
    return submission, replace(verification, training=training_overlaps(submission)), found


def rerun(
    submission: Submission,
    secret: bytes,
    show_progress: bool = False,
    workers: Workers = None,
    budget: Budget | None = None,
) -> tuple[Submission, Verification, Rerun]:
    """Play a submission's policies on the suite and on fresh episodes; see :func:`verify_and_rerun`."""
    start, budget = time.perf_counter(), budget or Budget()
    played, verification = play_suite(submission, budget, show_progress, workers)
    with forgery_if_versions_agree(submission.metadata):
        _check_sent(submission, played, verification)
    scores = fresh_scores(submission, secret, budget, show_progress, workers)
    return played, verification, Rerun(scores, time.perf_counter() - start, commitment(secret))


def play_suite(
    submission: Submission, budget: Budget, show_progress: bool = False, workers: Workers = None
) -> tuple[Submission, Verification]:
    """Play a submission's policies on its benchmark's suite, whatever was recorded.

    Returns:
        The submission with the traces that were played, and what they score.
    """
    protocol, benchmark = submission.protocol, submission.benchmark
    tasks = [protocol.suite.tasks[task] for task in protocol.task_indices]
    played = []
    for index, run in enumerate(_bar(submission, "playing the suite", show_progress)):
        episodes = [PlayedEpisode(task, int(seed)) for task, seed in zip(tasks, protocol.seeds(run))]
        played.append(play_policy(submission.policies[index], policy_file(index), benchmark, episodes, budget, workers))
    unscored = replace(submission, traces=_traces(submission, played))
    verification = recorded_scores(unscored, [outcome for run in played for outcome in run.outcomes])
    traces = replace(
        unscored.traces,
        scores=verification.episode_scores.ravel(),
        links=verification.links,
        states=verification.states,
    )
    parameters = tuple(run.parameters for run in played)
    return replace(submission, traces=traces), replace(verification, tier=Tier.RERUN, parameters=parameters)


def fresh_scores(
    submission: Submission,
    secret: bytes,
    budget: Budget,
    show_progress: bool = False,
    workers: Workers = None,
    num_episodes: int | None = None,
) -> np.ndarray:
    """float64 (runs, episodes): what the policies of a submission score on fresh episodes.

    Args:
        submission: The submission.
        secret: The verifier's.
        budget: The time that the policies may take.
        show_progress: Whether progress bars are shown.
        workers: Who plays physics.
        num_episodes: Episodes of each run; ``None``: the benchmark's, and as many more as the score's error takes.
    """
    benchmark = submission.benchmark
    scores = np.empty((submission.num_runs, 0))
    wanted = num_episodes or benchmark.num_fresh_episodes
    while scores.shape[1] < wanted:
        places, columns = range(scores.shape[1], wanted), []
        for index, run in enumerate(_bar(submission, "playing fresh episodes", show_progress)):
            episodes = fresh_episodes(benchmark, run.policy_hash, secret, places)
            policy = submission.policies[index]
            outcomes = play_policy(policy, policy_file(index), benchmark, episodes, budget, workers).outcomes
            columns.append([episode_score(benchmark, outcome) for outcome in outcomes])
        scores = np.concatenate([scores, np.array(columns)], axis=1)
        if num_episodes is None:
            wanted = episodes_wanted(scores, benchmark)
    return scores


def episodes_wanted(scores: np.ndarray, benchmark: Benchmark) -> int:
    """Episodes of each run after which a score is known well enough, by what has been played: (runs, episodes)."""
    greatest = MAX_ERROR * (benchmark.maximum - benchmark.minimum)
    if standard_error(scores) <= greatest:
        return scores.shape[1]
    wanted = math.ceil(float(scores.var()) / greatest**2 / len(scores))
    return min(max(wanted, scores.shape[1] + 1), _MOST_TIMES * benchmark.num_fresh_episodes)


def standard_error(scores: np.ndarray) -> float:
    """Of the mean of episodes' scores."""
    return float(scores.std() / math.sqrt(scores.size))


def score_spare(verification: Verification, submission: Submission) -> float:
    """How far the score may lie from another machine's: not at all where actions are discrete and nothing is physics.

    Elsewhere rounding may decide an episode: as far as the 95 % interval over episodes.
    """
    benchmark = submission.benchmark
    if not (benchmark.physics or isinstance(submission.protocol.action_space, spaces.Box)):
        return 0.0
    least = MAX_ERROR * (benchmark.maximum - benchmark.minimum)
    return max(_INTERVAL_ERRORS * standard_error(verification.episode_scores), least)


def _bar(submission: Submission, title: str, show_progress: bool) -> Progress:
    return Progress(submission.metadata.runs, desc=title, unit="policy", delay=2, disable=not show_progress)


def _traces(submission: Submission, played: list[Played]) -> Traces:
    """The actions that were played as arrays, their scores, hash chains and states still open."""
    protocol, actions = submission.protocol, [episode for run in played for episode in run.actions]
    shape, dtype = protocol.action_form
    return Traces(
        runs=np.repeat(np.arange(submission.num_runs, dtype=np.int32), len(protocol.task_indices)),
        tasks=np.tile(protocol.task_indices, submission.num_runs),
        seeds=np.concatenate([protocol.seeds(run) for run in submission.metadata.runs]),
        lengths=np.array([len(episode) for episode in actions], np.int32),
        scores=np.full(len(actions), np.nan),
        actions=np.concatenate([np.empty((0, *shape), dtype), *actions]),
    )


def _check_sent(submission: Submission, played: Submission, verification: Verification) -> None:
    """Refuse what was sent of the suite, where the policies do something else."""
    if not submission.benchmark.physics:
        _check_sent_actions(submission, played)
    check_claimed_score(submission, verification, score_spare(verification, submission))


def _check_sent_actions(submission: Submission, played: Submission) -> None:
    per_run = len(submission.protocol.task_indices)
    for index, (sent, own) in enumerate(zip(submission.all_episodes(), played.all_episodes(), strict=True)):
        step = _first_difference(sent.actions, own.actions, submission.protocol.action_space)
        if step is not None:
            chosen, recorded = (
                actions[step].tolist() if step < len(actions) else "none" for actions in (own.actions, sent.actions)
            )
            raise InvalidSubmissionError(
                policy_file(index // per_run),
                f"action {step} of {episode_place(index, per_run)}",
                chosen,
                f"{recorded}, what was recorded: the policy did not choose the recorded actions",
            )


def _first_difference(sent: np.ndarray, own: np.ndarray, space: spaces.Space) -> int | None:
    """The first step at which two episodes' actions differ, the end of one included; ``None``: none does."""
    common = min(len(sent), len(own))
    if isinstance(space, spaces.Box):
        rounding = _ROUNDED_ACTION * (space.high.astype(np.float64) - space.low)
        differ = np.abs(sent[:common].astype(np.float64) - own[:common]) > rounding
    else:
        differ = sent[:common] != own[:common]
    steps = np.flatnonzero(differ.any(axis=tuple(range(1, differ.ndim))))
    if len(steps):
        return int(steps[0])
    return None if len(sent) == len(own) else common

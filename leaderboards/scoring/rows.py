"""Scoring what is handed in: its policies are played, or the actions of agents without a file replayed."""

from collections.abc import Sequence

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.process import PLAYED_WITH
from procgen_bench.core.extras import check_modules
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.scoring.epoch import Epoch
from procgen_bench.leaderboards.scoring.playing import Player
from procgen_bench.leaderboards.scoring.record import Record
from procgen_bench.leaderboards.scoring.score import Measured, record_of, score
from procgen_bench.leaderboards.submission.folder import scripted_names
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.verification import verify


def score_submission(
    submission: Submission,
    epoch: Epoch,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    workers: Workers = None,
    show_progress: bool = False,
) -> Record:
    """The record of a submission, or of a row, under an epoch; arguments and errors as of :func:`.score.score`.

    Raises:
        InvalidSubmissionError, OtherVersionsError: Recorded actions do not give what is claimed.
    """
    environment_type(submission.benchmark.environment_id)  # what is needed is there, or nothing is begun
    if submission.traces is not None:
        return _replayed(submission, epoch, show_progress)
    if submission.policies:
        check_modules(*PLAYED_WITH)
    space = submission.protocol.action_space
    return score(players_of(submission), submission.benchmark, epoch, space, limits, workers, show_progress)


def players_of(submission: Submission) -> Sequence[Player]:
    """Who plays each run: its policy's file, or a scripted player's name."""
    return submission.policies or [name for name in scripted_names(submission.metadata) if name is not None]


def _replayed(submission: Submission, epoch: Epoch, show_progress: bool) -> Record:
    verification, outcomes = verify(submission, "replaying" if show_progress else None)
    per_run = verification.episode_scores.shape[1]
    runs = [outcomes[start : start + per_run] for start in range(0, len(outcomes), per_run)]
    measured = [
        Measured(
            suite=scores.tolist(),
            fresh=[],
            suite_steps=sum(one.length for one in run),
            fresh_steps=[],
            unfinished=sum(not one.finished for one in run),
            sketch="",
            parameters=0,
        )
        for scores, run in zip(verification.episode_scores, runs, strict=True)
    ]
    hashes = [run.policy_hash for run in submission.metadata.runs]
    return record_of(hashes, measured, submission.benchmark, epoch)

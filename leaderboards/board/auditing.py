"""Auditing an entry: scored again, and compared with its record, field by field."""

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, stored_submission
from procgen_bench.leaderboards.scoring.compare import differing_fields, is_exact
from procgen_bench.leaderboards.scoring.record import Record
from procgen_bench.leaderboards.scoring.rows import score_submission


class AuditError(ProcgenBenchError):
    """An entry comes out otherwise than its record says."""


def audit(entry: Entry, workers: Workers = None, limits: Limits = Limits()) -> Record:  # noqa: B008 - frozen
    """Make an entry's record again.

    Returns:
        The record that was made, which agrees with the entry's.

    Raises:
        AuditError: It does not; names the row and the fields.
        InvalidSubmissionError: A policy is refused or stopped.
        TooSlowHereError, NoSandboxError, MissingExtraError: It cannot be played here.
    """
    submission = stored_submission(entry.folder)
    made = score_submission(submission, entry.epoch, limits, workers)
    space = submission.protocol.action_space
    differing = differing_fields(entry.record, made, entry.benchmark, space)
    if differing:
        closely = "" if is_exact(entry.benchmark, space) else ", beyond the tolerance of physics"
        raise AuditError(f"{entry.row}: its record differs from what is played here in {', '.join(differing)}{closely}")
    return made

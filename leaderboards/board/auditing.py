"""Auditing an entry: played again by public values alone, its policies, the suite and a published secret."""

from dataclasses import dataclass
from pathlib import Path

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import ProcgenBenchError, UnknownNameError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, read_entry, recounted_training, stored_submission
from procgen_bench.leaderboards.board.record import RECORD_FILE
from procgen_bench.leaderboards.board.trust import read_trust
from procgen_bench.leaderboards.rerun.rerun import fresh_scores, play_suite, score_spare
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.scores import exact_mean, least_difference

#: Tasks of a suite that may be taken for listed ones, as lists are kept short.
_MISTAKEN = 2


class AuditError(ProcgenBenchError):
    """An entry cannot be audited, or comes out otherwise than its record says."""


@dataclass(frozen=True)
class Audit:
    """What an audit found; it agrees with the record.

    Attributes:
        suite: The suite's score.
        fresh: The score on fresh episodes; ``None``: their secret is not published yet.
        holder: Who has the key that signed the record.
    """

    suite: float
    fresh: float | None
    holder: str


def is_entry(folder: Path) -> bool:
    """Whether a folder is an entry of a board, not a submission."""
    return (folder / RECORD_FILE).is_file()


def find_entry(row: str, board: Path) -> Entry:
    """The entry of a row: ``BENCHMARK/NAME``, or an entry's folder.

    Raises:
        AuditError: There is none.
        InvalidSubmissionError: It cannot be read, or is signed by nobody whom the board trusts.
    """
    folder = Path(row)
    if is_entry(folder):  # BOARD/TRACK/NAME/vVERSION/METHOD
        track, name = folder.resolve().parts[-4:-2]
        board, version = folder.resolve().parents[3], folder.resolve().parent.name
        benchmark = _benchmark(f"{track}/{name}", row)
    else:
        benchmark = _benchmark(row.rpartition("/")[0], row)
        version = f"v{benchmark.version}"
        folder = board.joinpath(*benchmark.id.split("/"), version, row.rpartition("/")[2])
        if not is_entry(folder):
            raise AuditError(f"{board} has no row {row!r}, expected BENCHMARK/ENTRY or an entry's folder")
    if version != f"v{benchmark.version}":
        raise AuditError(f"{row} is of {version}, whose tasks are no more; expected v{benchmark.version}")
    return read_entry(folder, benchmark, benchmark.version, board, read_trust(board))


def audit(entry: Entry, workers: Workers = None, budget: Budget | None = None, unpublished: bool = False) -> Audit:
    """Play an entry's policies again, on the suite and on the very fresh episodes of its record.

    Args:
        entry: The entry.
        workers: Who plays physics.
        budget: The time that the policies may take; ``None``: the usual one.
        unpublished: Whether the suite alone is played where the secret of fresh episodes is not published yet.

    Raises:
        AuditError: It cannot be audited, or something else comes out; names the row.
        InvalidSubmissionError: A policy is refused or stopped.
    """
    record, trust = entry.record, read_trust(entry.board)
    row = f"{entry.metadata.benchmark}/{entry.name}"
    if entry.is_older:
        raise AuditError(f"{row} was verified under an older root of trust; `procgen-bench board reverify` renews it")
    if record.fresh is None:
        raise AuditError(f"{row} has no policies that its verifier played; its traces alone can be replayed")
    if not trust.committed(record.verifier, record.fresh.secret, record.verified_on or record.submitted_on):
        raise AuditError(f"{row}: its verifier had not committed to the secret of its fresh episodes on that day")
    secret = trust.secrets.get(record.fresh.secret)
    if secret is None and not unpublished:
        raise AuditError(
            f"{row}: the secret {record.fresh.secret[:16]}... of its fresh episodes is not published yet; its verifier "
            "publishes it by `procgen-bench board rotate`"
        )
    for name, (met, counted) in recounted_training(entry).items():
        if abs(met - counted) > _MISTAKEN:
            raise AuditError(f"{row}: {name} has {counted} tasks of the suite, its record says {met}")
    submission, budget = stored_submission(entry), budget or Budget()
    _, verification = play_suite(submission, budget, workers=workers)
    spare = max(score_spare(verification, submission), least_difference(entry.benchmark))
    _check(row, "the suite's score", record.score, verification.score, spare)
    fresh = None
    if secret is not None:
        scores = fresh_scores(submission, secret, budget, workers=workers, num_episodes=record.fresh.episodes)
        for run, (recorded, found) in enumerate(zip(record.fresh.runs, map(exact_mean, scores), strict=True)):
            _check(row, f"run {run}'s fresh score", recorded, found, spare)
        fresh = exact_mean(scores.ravel())
    holder = next(one.holder for one in (trust.file.certificates if trust.file else []) if one.key == record.verifier)
    return Audit(verification.score, fresh, holder)


def _check(row: str, what: str, recorded: float, found: float, spare: float) -> None:
    if abs(recorded - found) > spare:
        raise AuditError(f"{row}: {what} is {found:.6g} here, its record says {recorded:.6g}")


def _benchmark(name: str, row: str) -> Benchmark:
    try:
        return get_benchmark(name)
    except UnknownNameError:
        raise AuditError(f"there is no row {row!r}, expected BENCHMARK/ENTRY or an entry's folder") from None

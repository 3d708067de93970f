"""Submitting: a submission is verified and becomes an entry, wholly or not at all."""

import datetime
import hashlib
import os
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

from filelock import FileLock, Timeout

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.paths import check_folder
from procgen_bench.core.provenance import CHANGED, package_versions
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, board_contents, entries_folder, read_entry
from procgen_bench.leaderboards.board.copies import resemblances
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.board.record import RECORD_FILE, FreshScore, NormalisedScores, VerifiedRecord
from procgen_bench.leaderboards.board.trace_store import keep_traces, remove_unfinished_traces
from procgen_bench.leaderboards.board.trust import check_trusted, make_board, read_trust
from procgen_bench.leaderboards.board.verifier import own_root, own_verifier
from procgen_bench.leaderboards.errors import BoardBusyError, DuplicateEntryError, InvalidSubmissionError
from procgen_bench.leaderboards.rerun.rerun import Rerun, verify_and_rerun
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.plain_folder import remove_unfinished, write_plain_folder
from procgen_bench.leaderboards.submission.strict_json import validated
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE
from procgen_bench.leaderboards.submission.training_tasks import kept_file, packed_list, parse_training_list
from procgen_bench.leaderboards.verification.verification import Tier, Verification

LOCK_FILE = ".lock"
#: What tells how a submission stands under its benchmark's normaliser, loaded where there is one.
_RECORDED_STANDING = "procgen_bench.leaderboards.xland.standing:recorded_standing"
_LOCK_TIMEOUT_SECONDS = 120.0


def submit(
    folder: str | PathLike,
    board: str | PathLike,
    submitted_on: datetime.date | None = None,
    show_progress: bool = False,
    workers: Workers = None,
    max_steps: int | None = None,
    method: str | None = None,
    budget: Budget | None = None,
) -> Entry:
    """Verify a submission and add it to the board. Whatever happens, the board has the whole entry or nothing of it.

    Args:
        folder: The submission.
        board: The board; made if it does not exist, under the user's own root key.
        submitted_on: Day that is recorded; ``None``: today.
        show_progress: Whether progress bars are shown.
        workers: Who replays physics.
        max_steps: Steps of all runs together that are replayed; ``None``: the usual limit.
        method: Name of the method, in the place of the submission's; ``None``: that one. Seeds of episodes
            are bound to the policies, not to it.
        budget: The time that its policies may take; ``None``: the usual one.

    Raises:
        InvalidSubmissionError: The submission is refused; the board is as it was.
        UnverifiableError: On a physics track, its replay observes something else here; the board is as it was.
        DuplicateEntryError: The board has the method's name, or one of the policies; it is as it was.
        UntrustedVerifierError: The board does not trust the user's verifier.
        BoardBusyError: Other submits hold the board.
        UnwritablePathError: The board is a file.
    """
    check_folder(Path(board))
    submission = read_submission(folder, max_steps)
    if method is not None:
        metadata = validated(Metadata, submission.metadata.model_dump() | {"method": method}, METADATA_FILE)
        submission = replace(submission, metadata=metadata, raw_metadata=b"")
    return add(submission, board, submitted_on, show_progress, workers, budget)


def add(
    submission: Submission,
    board: str | PathLike,
    submitted_on: datetime.date | None = None,
    show_progress: bool = False,
    workers: Workers = None,
    budget: Budget | None = None,
) -> Entry:
    """:func:`submit` of a submission that has been read."""
    _check_commits(submission)
    board, verifier = Path(board), own_verifier()
    day, track = today(), submission.benchmark.track
    check_trusted(verifier, board, track, day)
    _check_new(submission, board)
    submission, verification, found = verify_and_rerun(submission, verifier.secret, show_progress, workers, budget)
    record = record_of(submission, verification, found, day if submitted_on is None else submitted_on.isoformat(), day)
    kept = _kept_lists(submission)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in kept.items()}
    record = record.model_copy(update={"training_lists": hashes})
    if found is not None:
        alike = resemblances(submission, board, verifier.secret)
        record = record.model_copy(update={"resembles": alike})
    board.mkdir(parents=True, exist_ok=True)
    with _locked(board):
        remove_unfinished(board)
        remove_unfinished_traces(board)
        if read_trust(board).file is None:
            make_board(verifier, own_root(), board, day)
        check_trusted(verifier, board, track, day)
        _check_new(submission, board)
        keep_traces(submission.traces, board)
        return _write_entry(submission, record.signed(verifier), kept, board)


def _check_commits(submission: Submission) -> None:
    """Refuse runs that were trained by code that no commit holds: nobody could train them again."""
    for index, run in enumerate(submission.metadata.runs):
        commit = None if run.training is None else run.training.commit
        if commit is not None and commit.endswith(CHANGED):
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{index}].training.commit",
                commit,
                "a commit without changes; commit the checkout's changes, train and evaluate again",
            )


def _kept_lists(submission: Submission) -> dict[str, bytes]:
    """The lists of training tasks as a board keeps them, by name."""
    stated = submission.metadata.training_files
    return {
        kept_file(name): packed_list(parse_training_list(submission.training_files[name], tasks.count, name))
        for name, tasks in stated.items()
    }


def _write_entry(submission: Submission, record: VerifiedRecord, kept: dict[str, bytes], board: Path) -> Entry:
    benchmark, trust = submission.benchmark, read_trust(board)
    files = {**submission.files(), RECORD_FILE: record.to_json()}
    del files[TRACES_FILE]  # they lie in the board's store
    for name in submission.training_files:
        del files[name]  # kept shorter
    files |= kept

    def read(folder: Path) -> Entry:
        return read_entry(folder, benchmark, benchmark.version, board, trust)

    target = entries_folder(benchmark, board) / submission.metadata.entry_name
    write_plain_folder(target, files, staging=board, check=read)
    return read(target)


@contextmanager
def _locked(board: Path) -> Iterator[None]:
    lock = FileLock(board / LOCK_FILE, timeout=_LOCK_TIMEOUT_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise BoardBusyError(
            f"another submit has held {board / LOCK_FILE} for {_LOCK_TIMEOUT_SECONDS:g} s; try again when it is done"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _check_new(submission: Submission, board: Path) -> None:
    """Refuse a method's name, or one that looks like it, and any policy that the benchmark's entries already have.

    Equal actions are no reason: two perfect policies play the same. The table folds such rows.
    """
    metadata = submission.metadata
    folder = entries_folder(submission.benchmark, board)
    taken = {look(name): name for name in (os.listdir(folder) if folder.is_dir() else [])}
    if look(metadata.entry_name) in taken:
        raise DuplicateEntryError(
            f"{metadata.benchmark} already has an entry {taken[look(metadata.entry_name)]!r}; submit under another "
            f"method name than {metadata.method!r} (--method)"
        )
    hashes = {run.policy_hash for run in metadata.runs}
    for entry in board_contents(submission.benchmark, board, policies=hashes).entries:
        for run in entry.metadata.runs:
            if run.policy_hash in hashes:
                raise DuplicateEntryError(
                    f"{metadata.benchmark} already has the policy {run.policy_hash[:12]}... in entry {entry.name!r}; "
                    "a policy is entered once"
                )


def _fresh_score(found: Rerun) -> FreshScore:
    return FreshScore(
        score=found.score,
        runs=[exact_mean(run) for run in found.scores],
        episodes=found.scores.shape[1],
        # Not rounded: a row that is verified again on the same day has another record than under an older root.
        seconds=found.seconds,
        error=found.error,
        secret=found.secret,
    )


def _normalised(benchmark: Benchmark, verification: Verification) -> NormalisedScores | None:
    if benchmark.normaliser is None:
        return None
    return pkgutil.resolve_name(_RECORDED_STANDING)(benchmark.id, benchmark.normaliser, verification.scores)


def today() -> str:
    """The day, YYYY-MM-DD, at Greenwich."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def record_of(
    submission: Submission, verification: Verification, found: Rerun | None, submitted_on: str, verified_on: str
) -> VerifiedRecord:
    """What was found of a submission, unsigned; days are YYYY-MM-DD."""
    return VerifiedRecord(
        tier=Tier.REPLAYED if found is None else Tier.RERUN,
        score=verification.score,
        scores=verification.scores.tolist(),
        unfinished_episodes=verification.unfinished_episodes,
        by_segments=verification.by_segments,
        fresh=None if found is None else _fresh_score(found),
        training=list(verification.training),
        normalised=_normalised(submission.benchmark, verification),
        submission=hashlib.sha256(submission.metadata_bytes).hexdigest(),
        traces=submission.traces.address(),
        run_actions=submission.traces.run_actions(submission.num_runs),
        sketches=submission.traces.sketches(submission.num_runs),
        parameters=list(verification.parameters),
        policy_bytes=[len(policy) for policy in submission.policies],
        package_versions=package_versions(),
        submitted_on=submitted_on,
        verified_on=verified_on,
        verifier="0" * 64,
    )

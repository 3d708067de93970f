"""Submitting: a submission is scored and becomes an entry, wholly or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

from filelock import FileLock, Timeout

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.paths import check_folder
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import (
    Entry,
    board_contents,
    entries_folder,
    published_board,
    read_entry,
)
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.errors import BoardBusyError, DuplicateEntryError, InvalidSubmissionError
from procgen_bench.leaderboards.scoring.epoch import Epoch, begun, read_epochs, write_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE, Record
from procgen_bench.leaderboards.scoring.rows import score_submission
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.plain_folder import remove_unfinished, write_plain_folder
from procgen_bench.leaderboards.submission.strict_json import validated
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.training_overlap import check_training_lists

LOCK_FILE = ".lock"
_LOCK_TIMEOUT_SECONDS = 120.0


def submit(
    folder: str | PathLike,
    board: str | PathLike,
    show_progress: bool = False,
    workers: Workers = None,
    max_steps: int | None = None,
    method: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Entry:
    """Score a submission and add it to the board. Whatever happens, the board has the whole entry or nothing of it.

    Args:
        folder: The submission.
        board: The board; made if it does not exist, with an epoch whose salt is drawn.
        show_progress: Whether progress bars are shown.
        workers: Who plays physics.
        max_steps: Steps of all runs together that are replayed; ``None``: the usual limit.
        method: Name of the method, in the place of the submission's; ``None``: that one.
        limits: What its policies may take.

    Raises:
        InvalidSubmissionError: The submission is refused; the board is as it was.
        OtherVersionsError, TooSlowHereError: It cannot be scored here; the board is as it was.
        DuplicateEntryError: The board has the method's name, or one of the policies; it is as it was.
        BoardBusyError: Other submits hold the board.
        UnwritablePathError: The board is a file.
    """
    check_folder(Path(board))
    submission = read_submission(folder, max_steps)
    if method is not None:
        metadata = validated(Metadata, submission.metadata.model_dump() | {"method": method}, METADATA_FILE)
        submission = replace(submission, metadata=metadata, raw_metadata=b"")
    return add(submission, board, show_progress, workers, limits)


def add(
    submission: Submission,
    board: str | PathLike,
    show_progress: bool = False,
    workers: Workers = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Entry:
    """:func:`submit` of a submission that has been read."""
    board = Path(board)
    published = published_board()
    if published is not None and board.resolve() == published.resolve():
        check_clean(submission.metadata)
    check_name(submission.metadata)
    _check_new(submission, board)
    check_training_lists(submission)
    epochs = read_epochs(board) or [begun([], None)]
    while True:
        record = score_submission(submission, epochs[-1], limits, workers, show_progress)
        board.mkdir(parents=True, exist_ok=True)
        with locked(board):
            remove_unfinished(board)
            now = read_epochs(board)
            if now and now[-1] != epochs[-1]:  # it began while this was played
                epochs = now
                continue
            _check_new(submission, board)
            if not now:
                write_epochs(epochs, board)
            return _write_entry(submission, record, epochs, board)


def check_clean(metadata: Metadata) -> None:
    """Refuse a policy whose training names a commit from which its code differed: nobody can run it again.

    The published board has no such rows; on others they have no rank (:mod:`.eligibility`).

    Raises:
        InvalidSubmissionError: There is one.
    """
    for run, one in enumerate(metadata.runs):
        if one.training is not None and one.training.is_uncommitted:
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{run}].training.commit",
                one.training.commit,
                "a commit without changes; commit the checkout's changes, train and evaluate again",
            )


def check_name(metadata: Metadata) -> None:
    """Refuse policies under a name that a scripted player has: they would be taken for the floor, or the best.

    Raises:
        InvalidSubmissionError: It looks like one.
    """
    players = {look(name): name for name, method in METHODS.items() if not method.trainable}
    taken = players.get(look(metadata.entry_name))
    if metadata.policies and taken is not None:
        raise InvalidSubmissionError(
            METADATA_FILE, "method", metadata.method, f"another name (--method): {taken} is a scripted player"
        )


def row_files(submission: Submission) -> dict[str, bytes]:
    """The files of a row, but for its record: those of a submission without its lists of training tasks, of which a
    board keeps what they have of the suite."""
    return {name: content for name, content in submission.files().items() if name not in submission.training_files}


def _write_entry(submission: Submission, record: Record, epochs: list[Epoch], board: Path) -> Entry:
    benchmark = submission.benchmark

    def read(folder: Path) -> Entry:
        return read_entry(folder, benchmark, benchmark.version, board, epochs)

    target = entries_folder(benchmark, board) / submission.metadata.entry_name
    files = {**row_files(submission), RECORD_FILE: record.to_json()}
    write_plain_folder(target, files, staging=board, check=read)
    return read(target)


@contextmanager
def locked(board: Path) -> Iterator[None]:
    """Hold a board alone.

    Raises:
        BoardBusyError: Another has held it for too long.
    """
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

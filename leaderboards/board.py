"""The board: a folder with one folder per entry, from which every table is derived. There is no index to get lost."""

import datetime
import importlib.resources
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated

import numpy as np
from filelock import FileLock, Timeout
from pydantic import Field

from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.benchmarks import get_benchmark
from procgen_bench.leaderboards.errors import (
    BoardBusyError,
    CorruptBoardError,
    DuplicateEntryError,
    InvalidSubmissionError,
)
from procgen_bench.leaderboards.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, Versions, parse_metadata
from procgen_bench.leaderboards.plain_folder import PlainFolder, remove_unfinished, write_plain_folder
from procgen_bench.leaderboards.strict_json import StrictModel, parse_json, validated
from procgen_bench.leaderboards.submission import Submission, read_submission
from procgen_bench.leaderboards.traces import TRACES_FILE
from procgen_bench.leaderboards.verification import Tier, Verification, verify
from procgen_bench.provenance import package_versions

RECORD_FILE = "verified.json"
LOCK_FILE = ".lock"
_MAX_RECORD_BYTES = 64 * 1024 * 1024
_LOCK_TIMEOUT_SECONDS = 120.0
_ENTRY_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class VerifiedRecord(StrictModel):
    """verified.json: what the verifier found.

    Attributes:
        tier: ``"replayed"`` or ``"re-run"``.
        score: The replayed score, the one that is published.
        scores: Mean score of each task (columns) in each run (rows).
        unfinished_episodes: Episodes that were not played to their end.
        package_versions: Versions that verified, by package.
        submitted_on: Day of the submission, YYYY-MM-DD.
    """

    tier: Annotated[Tier, Field(strict=False)]
    score: float
    scores: list[list[float]]
    unfinished_episodes: Annotated[int, Field(ge=0)]
    package_versions: Versions
    submitted_on: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


@dataclass(frozen=True, eq=False)
class Entry:
    """One method's entry on the board.

    Attributes:
        folder: Its folder, itself a submission with ``verified.json`` added.
        metadata: What the submission says.
        record: What the verifier found.
    """

    folder: Path
    metadata: Metadata
    record: VerifiedRecord

    @property
    def name(self) -> str:
        """The folder's name, unique within the benchmark."""
        return self.folder.name

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that was played."""
        return get_benchmark(self.metadata.benchmark)

    @cached_property
    def scores(self) -> np.ndarray:
        """float64 (runs, tasks)."""
        return np.array(self.record.scores, np.float64)


def default_board() -> Path:
    """The board that comes with the package."""
    return Path(str(importlib.resources.files("procgen_bench.leaderboards") / "results"))


def read_entries(benchmark: Benchmark, board: str | PathLike) -> list[Entry]:
    """The benchmark's entries, by name; none where the board holds nothing of it.

    Raises:
        CorruptBoardError: An entry cannot be read.
    """
    folder = _benchmark_folder(benchmark, Path(board))
    if not folder.is_dir():
        return []
    return [_read_entry(path) for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def read_entry_submission(entry: Entry) -> Submission:
    """The traces behind an entry, read with the same distrust as a fresh submission's."""
    return read_submission(entry.folder, extra_files=(RECORD_FILE,))


def submit(
    folder: str | PathLike,
    board: str | PathLike,
    submitted_on: datetime.date | None = None,
    progress: str | None = None,
    workers: int | None = None,
) -> Entry:
    """Verify a submission and add it to the board. Whatever happens, the board has the whole entry or nothing of it.

    Args:
        folder: The submission.
        board: The board; made if it does not exist.
        submitted_on: Day that is recorded; ``None``: today.
        progress: Title of a progress bar; ``None`` for none.
        workers: Number of processes that replay physics; ``None``: this one does.

    Raises:
        InvalidSubmissionError: The submission is refused; the board is as it was.
        UnverifiableError: On a physics track, its replay observes something else here; the board is as it was.
        DuplicateEntryError: The board has the method's name, or one of the policies; it is as it was.
        BoardBusyError: Other submits hold the board.
    """
    board = Path(board)
    submission = read_submission(folder)
    _check_new(submission, board)
    verification = verify(submission, progress, workers)
    submitted_on = submitted_on or datetime.datetime.now(datetime.UTC).date()
    files = {**submission.files(), RECORD_FILE: _record(verification, submitted_on)}
    target = _entry_folder(submission, board)
    board.mkdir(parents=True, exist_ok=True)
    with _locked(board):
        remove_unfinished(board)
        _check_new(submission, board)
        write_plain_folder(target, files, staging=board)
    return _read_entry(target)


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
    """Refuse a method's name, and any policy, that the benchmark's entries already have.

    Equal traces need no comparison: their seeds are bound to the policies, so equal traces mean equal policies.
    """
    metadata = submission.metadata
    hashes = {run.policy_hash for run in metadata.runs}
    for entry in read_entries(submission.benchmark, board):
        if entry.name == metadata.entry_name:
            raise DuplicateEntryError(
                f"{metadata.benchmark} already has an entry {entry.name!r} (method {entry.metadata.method!r}); "
                "submit under another method name"
            )
        for run in entry.metadata.runs:
            if run.policy_hash in hashes:
                raise DuplicateEntryError(
                    f"{metadata.benchmark} already has the policy {run.policy_hash[:12]}... in entry {entry.name!r}; "
                    "a policy is entered once"
                )


def _record(verification: Verification, submitted_on: datetime.date) -> bytes:
    record = VerifiedRecord(
        tier=verification.tier,
        score=verification.score,
        scores=verification.scores.tolist(),
        unfinished_episodes=verification.unfinished_episodes,
        package_versions=package_versions(),
        submitted_on=submitted_on.isoformat(),
    )
    return record.model_dump_json(indent=None).encode() + b"\n"


def _read_entry(path: Path) -> Entry:
    try:
        with PlainFolder(path, (METADATA_FILE, TRACES_FILE, RECORD_FILE)) as files:
            metadata = parse_metadata(files.read(METADATA_FILE, MAX_METADATA_BYTES))
            raw = files.read(RECORD_FILE, _MAX_RECORD_BYTES)
        record = validated(VerifiedRecord, parse_json(raw, RECORD_FILE), RECORD_FILE)
        if [len(row) for row in record.scores] != [len(record.scores[0])] * len(metadata.runs):
            raise InvalidSubmissionError(RECORD_FILE, "rows of scores", len(record.scores), str(len(metadata.runs)))
        if not _ENTRY_NAME.fullmatch(path.name):
            raise InvalidSubmissionError("folder", "name", path.name, "lower-case letters and digits, with hyphens")
    except InvalidSubmissionError as error:
        raise CorruptBoardError(f"the board's entry {path} cannot be read ({error}); restore or remove it") from None
    return Entry(path, metadata, record)


def _benchmark_folder(benchmark: Benchmark, board: Path) -> Path:
    return board.joinpath(*benchmark.id.split("/"))


def _entry_folder(submission: Submission, board: Path) -> Path:
    return _benchmark_folder(submission.benchmark, board) / submission.metadata.entry_name

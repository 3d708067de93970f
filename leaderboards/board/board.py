"""The board: a folder with one folder per entry, from which every table is derived. There is no index to get lost.

``BOARD/TRACK/NAME/vVERSION/METHOD/`` holds ``submission.json``, ``verified.json`` and the policies, if there are any;
``BOARD/traces/`` the traces, by their content address; ``BOARD/trust.json`` whose signatures the board trusts.
"""

import hashlib
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from procgen_bench.baselines.training.task_records import MAX_RECORDED_TASKS
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.record import MAX_RECORD_BYTES, RECORD_FILE, VerifiedRecord, read_record
from procgen_bench.leaderboards.board.trace_store import MissingTracesError, read_raw_traces
from procgen_bench.leaderboards.board.trust import Trust, read_trust
from procgen_bench.leaderboards.errors import InvalidSubmissionError, brief
from procgen_bench.leaderboards.submission.checks import checked_benchmark
from procgen_bench.leaderboards.submission.folder import POLICY_FILES, checked, read_policies
from procgen_bench.leaderboards.submission.metadata import (
    MAX_METADATA_BYTES,
    METADATA_FILE,
    Metadata,
    parse_metadata,
    training_file,
)
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, check_extra_files, read_plain_file
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS, Protocol
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import Traces, parse_traces
from procgen_bench.leaderboards.submission.training_tasks import KEPT_FILES, kept_file, unpacked_list
from procgen_bench.leaderboards.verification.training_overlap import TrainingOverlap, kept_met

_EXTRA_FILES = re.compile(f"{POLICY_FILES.pattern}|{KEPT_FILES.pattern}")
#: Size of a list of training tasks that the board keeps, even one that does not compress.
MAX_KEPT_BYTES = 4 * MAX_RECORDED_TASKS + 4_096


@dataclass(frozen=True, eq=False)
class Entry:
    """One method's entry on the board.

    Attributes:
        folder: Its folder.
        metadata: What the submission says.
        record: What the verifier found.
        board: The board's folder.
        is_older: Whether it was verified under an older root of trust than the board's.
    """

    folder: Path
    metadata: Metadata
    record: VerifiedRecord
    board: Path
    is_older: bool = False

    @property
    def name(self) -> str:
        """The folder's name, unique within the benchmark."""
        return self.folder.name

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that was played."""
        return get_benchmark(self.metadata.benchmark)

    @property
    def trained_on_suite(self) -> bool:
        """Whether a run was trained on tasks of the suite, by its own word, beyond chance and against the protocol."""
        return any(overlap is not None and overlap.beyond_chance for overlap in self.training)

    @property
    def training(self) -> list[TrainingOverlap | None]:
        """What each run met of the suite in its training; ``None`` where it is not stated."""
        return self.record.training or [None] * len(self.metadata.runs)

    @cached_property
    def scores(self) -> np.ndarray:
        """float64 (runs, tasks)."""
        return np.array(self.record.scores, np.float64)


@dataclass(frozen=True)
class UnreadableEntry:
    """An entry that is left out: what its folder is called, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class BoardContents:
    """What a board holds of one version of a benchmark: the entries by name, and those that are left out."""

    entries: list[Entry]
    unreadable: list[UnreadableEntry]


def published_board() -> Path | None:
    """The published board, in a checkout; elsewhere there is none."""
    published = Path(__file__).parents[1] / "results"
    return published if published.is_dir() else None


def board_contents(
    benchmark: Benchmark, board: str | PathLike, version: int | None = None, policies: Collection[str] | None = None
) -> BoardContents:
    """The entries of one version of a benchmark. One that cannot be read, or is not signed, is left out by name.

    Args:
        benchmark: The benchmark.
        board: The board's folder; where it holds nothing of the benchmark, there are no entries.
        version: Version of the benchmark; ``None``: the current one.
        policies: Hashes; entries that have none of these policies may be missing, which is much quicker.

    Raises:
        CorruptBoardError: It cannot be read whom the board trusts.
    """
    board = Path(board)
    version = benchmark.version if version is None else version
    folder = entries_folder(benchmark, board, version)
    contents = BoardContents([], [])
    if not folder.is_dir():
        return contents
    trust = read_trust(board)
    for path in (folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")):
        if policies is not None and not _may_name(path, policies):
            continue
        try:
            entry = read_entry(path, benchmark, version, board, trust)
            if path.name != entry.metadata.entry_name:
                raise InvalidSubmissionError("folder", "name", path.name, f"{entry.metadata.entry_name}, its method's")
            contents.entries.append(entry)
        except InvalidSubmissionError as error:
            name = path.name if path.name.isprintable() else brief(path.name)
            contents.unreadable.append(UnreadableEntry(name, error.fault))
    return contents


def _may_name(folder: Path, policies: Collection[str]) -> bool:
    """Whether an entry's metadata may name one of these policies: written out, or somehow in JSON's escapes."""
    try:
        raw = read_plain_file(folder / METADATA_FILE, MAX_METADATA_BYTES)
    except InvalidSubmissionError:
        return False
    return b"\\u" in raw or any(policy.encode() in raw for policy in policies)


def read_entries(benchmark: Benchmark, board: str | PathLike) -> list[Entry]:
    """The benchmark's readable entries, by name; see :func:`board_contents`."""
    return board_contents(benchmark, board).entries


def archived_versions(benchmark: Benchmark, board: str | PathLike) -> list[int]:
    """Earlier versions of the benchmark that the board still holds entries of, latest first."""
    folder = Path(board).joinpath(*benchmark.id.split("/"))
    held = [re.fullmatch(r"v([0-9]{1,6})", path.name) for path in folder.iterdir()] if folder.is_dir() else []
    return sorted((int(match[1]) for match in held if match and int(match[1]) < benchmark.version), reverse=True)


def stored_submission(entry: Entry) -> Submission:
    """The submission behind an entry as far as the board has it: without its traces, which are not needed to play its
    policies.

    Raises:
        InvalidSubmissionError: It is not what its record says, or its benchmark has been raised since.
    """
    with PlainFolder(entry.folder, (METADATA_FILE, RECORD_FILE), _EXTRA_FILES) as files:
        raw_metadata = files.read(METADATA_FILE, MAX_METADATA_BYTES)
        metadata = parse_metadata(raw_metadata)
        policies = read_policies(files, metadata)
    protocol, nothing = Protocol(checked_benchmark(metadata)), np.empty(0)
    return Submission(metadata, Traces(*[nothing] * 6), protocol, policies, raw_metadata)


def recounted_training(entry: Entry) -> dict[str, tuple[int, int]]:
    """What the lists of training tasks that the board keeps of an entry have of the suite, counted again.

    Returns:
        Of each list, by its file's name: tasks of the suite by the record, and by the list.
    """
    counted = {}
    for run, (stated, overlap) in enumerate(zip(entry.metadata.runs, entry.training, strict=True)):
        name = kept_file(training_file(run))
        if stated.training_tasks is None or overlap is None or name not in entry.record.training_lists:
            continue
        count = stated.training_tasks.count
        kept = unpacked_list(read_plain_file(entry.folder / name, MAX_KEPT_BYTES), count, name)
        counted[name] = overlap.met, kept_met(entry.benchmark, kept, count)
    return counted


def read_entry_submission(entry: Entry) -> Submission:
    """The submission behind an entry with its traces, read with the same distrust as a fresh one.

    Raises:
        MissingTracesError: Its traces are not on this machine, or are others than the record names.
        InvalidSubmissionError: It is not what its record says, or its benchmark has been raised since.
    """
    stored, address = stored_submission(entry), entry.record.traces
    # It has been replayed: whatever steps its verifier allowed are allowed.
    limits = stored.protocol.trace_limits(stored.num_runs, max_steps=ANY_STEPS)
    traces = parse_traces(read_raw_traces(address, entry.board, limits.max_bytes), limits)
    submission = checked(replace(stored, traces=traces))
    if traces.address() != address:
        raise MissingTracesError(
            f"the board {entry.board} holds other traces than {address} under that name; remove them"
        )
    return submission


def read_entry(path: Path, benchmark: Benchmark, version: int, board: Path, trust: Trust) -> Entry:
    """An entry of a folder that may still lie elsewhere than where it belongs, on the board ``board``.

    Raises:
        InvalidSubmissionError: A file is not as it must be, or the record is signed by nobody whom the board trusts.
    """
    with PlainFolder(path, (METADATA_FILE, RECORD_FILE), _EXTRA_FILES) as files:
        raw_metadata = files.read(METADATA_FILE, MAX_METADATA_BYTES)
        raw_record = files.read(RECORD_FILE, MAX_RECORD_BYTES)
        record = read_record(raw_record, trust, benchmark.track)
        found = hashlib.sha256(raw_metadata).hexdigest()
        if found != record.submission:
            raise InvalidSubmissionError(METADATA_FILE, "SHA-256", found, f"{record.submission}, which was verified")
        metadata = parse_metadata(raw_metadata)
        read_policies(files, metadata)
        check_extra_files(files, KEPT_FILES, list(record.training_lists), "no lists of training tasks")
        for name, digest in record.training_lists.items():
            found = hashlib.sha256(files.read(name, MAX_KEPT_BYTES)).hexdigest()
            if found != digest:
                raise InvalidSubmissionError(name, "SHA-256", found, f"{digest}, which was verified")
    if (metadata.benchmark, metadata.benchmark_version) != (benchmark.id, version):
        played = f"{metadata.benchmark} v{metadata.benchmark_version}"
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", played, f"{benchmark.id} v{version}, where it lies")
    if [len(row) for row in record.scores] != [len(record.scores[0])] * len(metadata.runs):
        raise InvalidSubmissionError(RECORD_FILE, "rows of scores", len(record.scores), str(len(metadata.runs)))
    return Entry(path, metadata, record, board, hashlib.sha256(raw_record).hexdigest() in trust.older)


def entries_folder(benchmark: Benchmark, board: Path, version: int | None = None) -> Path:
    """Where a board has the entries of a version of a benchmark; ``None``: the current one."""
    return board.joinpath(*benchmark.id.split("/"), f"v{benchmark.version if version is None else version}")

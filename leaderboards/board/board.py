"""The board: a folder with one folder per entry, from which every table is derived. There is no index to get lost.

``BOARD/TRACK/NAME/vVERSION/METHOD/`` holds ``submission.json``, ``record.json``, the records of former epochs, and the
policies, or the recorded actions of agents that have none; ``BOARD/epochs.json`` the epochs.
"""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE, parse_reproduced, reproduced_badge
from procgen_bench.leaderboards.errors import InvalidSubmissionError, NoSuchRowError, brief
from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.scoring.epoch import Epoch, read_epochs
from procgen_bench.leaderboards.scoring.record import MAX_RECORD_BYTES, RECORD_FILE, Record, parse_record
from procgen_bench.leaderboards.submission.checks import checked_benchmark
from procgen_bench.leaderboards.submission.folder import (
    POLICY_FILES,
    checked,
    is_played,
    read_policies,
    read_traces,
)
from procgen_bench.leaderboards.submission.metadata import (
    MAX_METADATA_BYTES,
    METADATA_FILE,
    Metadata,
    parse_metadata,
)
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, read_plain_file
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS, Protocol
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE
from procgen_bench.leaderboards.verification.training_overlap import beyond_chance
from procgen_bench.leaderboards.verification.verification import Tier

_EXTRA_FILES = re.compile(
    "|".join([POLICY_FILES.pattern, TRACES_FILE, REPRODUCED_FILE, r"record-epoch-[0-9]{1,6}\.json"])
)


@dataclass(frozen=True, eq=False)
class Entry:
    """One method's entry on the board.

    Attributes:
        folder: Its folder.
        metadata: What the submission says.
        record: What scoring measured.
        board: The board's folder.
        epoch: The epoch of its record.
        is_newest: Whether that is the board's newest.
        since: Number of the first epoch that names its policies; the next one's where none does.
        reproduced: The training seeds whose training was run again with the same result (:mod:`.retraining`).
    """

    folder: Path
    metadata: Metadata
    record: Record
    board: Path
    epoch: Epoch
    is_newest: bool = True
    since: int = 1
    reproduced: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The folder's name, unique within the benchmark."""
        return self.folder.name

    @property
    def row(self) -> str:
        """What commands and errors call it."""
        return f"{self.metadata.benchmark}/{self.name}"

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that was played."""
        return get_benchmark(self.metadata.benchmark)

    @property
    def tier(self) -> Tier:
        """How far it is to be believed."""
        return Tier.RERUN if is_played(self.metadata) else Tier.REPLAYED

    @property
    def tier_in_words(self) -> str:
        """The same, where its trainings were run again how many of them."""
        return reproduced_badge(self.reproduced, len(self.metadata.runs)) or self.tier.value

    @property
    def is_provisional(self) -> bool:
        """Whether its epoch is not the newest, or had begun before all of its policies were on the board."""
        return not (self.is_newest and self.epoch.ranks(self.metadata.benchmark, self.record.policies))

    @property
    def trained_on_suite(self) -> bool:
        """Whether a run was trained on tasks of the suite, by its own word, beyond chance and against the protocol."""
        return any(beyond_chance(tasks) for tasks in self.metadata.training_files.values())

    @cached_property
    def episode_scores(self) -> np.ndarray:
        """float64 (runs, tasks, episodes of a task)."""
        scores, runs = self.record.suite_scores, len(self.metadata.runs)
        return scores.reshape(runs, -1, self.benchmark.episodes_per_task)

    @cached_property
    def scores(self) -> np.ndarray:
        """float64 (runs, tasks)."""
        return np.array([[exact_mean(task) for task in run] for run in self.episode_scores])

    @cached_property
    def fresh(self) -> np.ndarray | None:
        """float64 (runs, fresh episodes); ``None``: none were played."""
        scores = self.record.fresh_scores
        return scores if scores.size else None


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
    published = Path(__file__).resolve().parents[1] / "results"  # not behind the package's link, which git refuses
    return published if published.is_dir() else None


def board_contents(
    benchmark: Benchmark, board: str | PathLike, version: int | None = None, policies: Collection[str] | None = None
) -> BoardContents:
    """The entries of one version of a benchmark. One that cannot be read is left out by name.

    Args:
        benchmark: The benchmark.
        board: The board's folder; where it holds nothing of the benchmark, there are no entries.
        version: Version of the benchmark; ``None``: the current one.
        policies: Hashes; entries that have none of these policies may be missing, which is much quicker.

    Raises:
        CorruptBoardError: The board's epochs cannot be read.
    """
    board = Path(board)
    version = benchmark.version if version is None else version
    folder = entries_folder(benchmark, board, version)
    contents = BoardContents([], [])
    if not folder.is_dir():
        return contents
    epochs = read_epochs(board)
    for path in (folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")):
        if policies is not None and not _may_name(path, policies):
            continue
        try:
            entry = read_entry(path, benchmark, version, board, epochs)
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


def is_entry(folder: Path) -> bool:
    """Whether a folder is an entry of a board, not a submission."""
    return re.fullmatch(r"v[0-9]{1,6}", folder.resolve().parent.name) is not None and (folder / METADATA_FILE).is_file()


def find_row(row: str, board: Path) -> tuple[Path, Benchmark, Path]:
    """The folder of a row, its benchmark and its board: ``BENCHMARK/NAME``, or an entry's folder.

    Raises:
        NoSuchRowError: There is none, or it is of a version whose tasks are no more.
    """
    folder = Path(row)
    if is_entry(folder):  # BOARD/TRACK/NAME/vVERSION/METHOD
        folder = folder.resolve()
        board, (track, name) = folder.parents[3], folder.parts[-4:-2]
        benchmark = _benchmark(f"{track}/{name}", row)
    else:
        benchmark = _benchmark(row.rpartition("/")[0], row)
        folder = entries_folder(benchmark, board) / row.rpartition("/")[2]
    if not (folder / METADATA_FILE).is_file():
        raise NoSuchRowError(f"{board} has no row {row!r}, expected BENCHMARK/ENTRY or an entry's folder")
    if folder.parent.name != f"v{benchmark.version}":
        raise NoSuchRowError(
            f"{row} is of {folder.parent.name}, whose tasks are no more; expected v{benchmark.version}"
        )
    return folder, benchmark, board


def find_entry(row: str, board: Path) -> Entry:
    """The entry of a row; see :func:`find_row`.

    Raises:
        NoSuchRowError: There is none.
        InvalidSubmissionError: It cannot be read.
    """
    folder, benchmark, board = find_row(row, board)
    return read_entry(folder, benchmark, benchmark.version, board, read_epochs(board))


def _benchmark(name: str, row: str) -> Benchmark:
    try:
        return get_benchmark(name)
    except UnknownNameError:
        raise NoSuchRowError(f"there is no row {row!r}, expected BENCHMARK/ENTRY or an entry's folder") from None


def stored_submission(folder: Path) -> Submission:
    """The submission behind an entry, read with the same distrust as a fresh one; without its lists of training tasks.

    Raises:
        InvalidSubmissionError: It is not what it says, or its benchmark has been raised since.
    """
    with PlainFolder(folder, (METADATA_FILE,), re.compile(f"{_EXTRA_FILES.pattern}|{RECORD_FILE}")) as files:
        raw_metadata = files.read(METADATA_FILE, MAX_METADATA_BYTES)
        metadata = parse_metadata(raw_metadata)
        protocol = Protocol(checked_benchmark(metadata))
        policies, traces = read_policies(files, metadata), read_traces(files, metadata, protocol, ANY_STEPS)
    return checked(Submission(metadata, traces, protocol, policies, raw_metadata))


def read_entry(path: Path, benchmark: Benchmark, version: int, board: Path, epochs: list[Epoch]) -> Entry:
    """An entry of a folder that may still lie elsewhere than where it belongs, on the board ``board``.

    Raises:
        InvalidSubmissionError: A file is not as it must be.
    """
    with PlainFolder(path, (METADATA_FILE, RECORD_FILE), _EXTRA_FILES) as files:
        metadata = parse_metadata(files.read(METADATA_FILE, MAX_METADATA_BYTES))
        record = parse_record(files.read(RECORD_FILE, MAX_RECORD_BYTES))
        read_policies(files, metadata)
        reproduced = _reproduced(files, metadata)
    if (metadata.benchmark, metadata.benchmark_version) != (benchmark.id, version):
        played = f"{metadata.benchmark} v{metadata.benchmark_version}"
        raise InvalidSubmissionError(METADATA_FILE, "benchmark", played, f"{benchmark.id} v{version}, where it lies")
    if (record.benchmark, record.version) != (benchmark.id, version):
        played = f"{record.benchmark} v{record.version}"
        raise InvalidSubmissionError(RECORD_FILE, "benchmark", played, f"{benchmark.id} v{version}, where it lies")
    if record.policies != [run.policy_hash for run in metadata.runs]:
        raise InvalidSubmissionError(RECORD_FILE, "policies", record.policies, f"those of {METADATA_FILE}")
    if not record.epoch <= len(epochs):
        raise InvalidSubmissionError(RECORD_FILE, "epoch", record.epoch, f"one that has begun, 1 to {len(epochs)}")
    newest = record.epoch == len(epochs)
    naming = (one.number for one in epochs if one.policies is not None and one.ranks(benchmark.id, record.policies))
    since = next(naming, len(epochs) + 1)
    return Entry(path, metadata, record, board, epochs[record.epoch - 1], newest, since, reproduced)


def _reproduced(files: PlainFolder, metadata: Metadata) -> tuple[int, ...]:
    if REPRODUCED_FILE not in files.extra_names:
        return ()
    return parse_reproduced(files.read(REPRODUCED_FILE, MAX_METADATA_BYTES), metadata)


def entries_folder(benchmark: Benchmark, board: Path, version: int | None = None) -> Path:
    """Where a board has the entries of a version of a benchmark; ``None``: the current one."""
    return board.joinpath(*benchmark.id.split("/"), f"v{benchmark.version if version is None else version}")

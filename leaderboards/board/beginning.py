"""Beginning an epoch: all rows are played again under a new salt, and their former records are archived."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import entries_folder, stored_submission
from procgen_bench.leaderboards.board.submitting import locked
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.scoring.epoch import Beacon, Epoch, begun, read_epochs, write_epochs
from procgen_bench.leaderboards.scoring.record import (
    MAX_RECORD_BYTES,
    RECORD_FILE,
    Record,
    archived_file,
    parse_record,
)
from procgen_bench.leaderboards.scoring.rows import score_submission
from procgen_bench.leaderboards.submission.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, parse_metadata
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file


@dataclass(frozen=True)
class PlayedRow:
    """What came of a row: its record, or why it has none."""

    row: str
    record: Record | None
    fault: str = ""


def begin_epoch(board: Path, beacon: Beacon | None = None) -> Epoch:
    """Begin the next epoch of a board: a salt, and the policies that are there. :func:`play_rows` plays them.

    Args:
        board: The board.
        beacon: What the salt follows from; ``None``: it is drawn here.
    """
    with locked(board):
        epochs = read_epochs(board)
        epoch = begun(epochs, held_policies(board), beacon)
        write_epochs([*epochs, epoch], board)
        return epoch


def play_rows(
    board: Path,
    rows: list[Path],
    limits: Limits = Limits(),  # noqa: B008 - frozen
    workers: Workers = None,
) -> Iterator[PlayedRow]:
    """Play rows under a board's newest epoch; those that have been are passed over, so that a call continues another.

    A row that cannot be played keeps its former record, and is provisional.
    """
    epoch = read_epochs(board)[-1]
    for folder in rows:
        row = "/".join([*folder.parts[-4:-2], folder.name])
        try:
            former = _record(folder)
            if former is not None and former.epoch == epoch.number:
                continue
            record = score_submission(stored_submission(folder), epoch, limits, workers)
        except ProcgenBenchError as error:
            yield PlayedRow(row, None, str(error))
            continue
        if former is not None:
            write_bytes(folder / archived_file(former.epoch), former.to_json())
        write_bytes(folder / RECORD_FILE, record.to_json())
        yield PlayedRow(row, record)


def held_policies(board: Path) -> dict[str, list[str]]:
    """By benchmark, SHA-256 of the policies that a board holds."""
    held: dict[str, list[str]] = {}
    for metadata in map(_metadata, row_folders(board)):
        held.setdefault(metadata.benchmark, []).extend(run.policy_hash for run in metadata.runs)
    return held


def row_folders(board: Path) -> list[Path]:
    """The folders of all rows of the present benchmarks, by benchmark and name."""
    folders = [entries_folder(benchmark, board) for benchmark in BENCHMARKS.values()]
    return [row for folder in folders if folder.is_dir() for row in sorted(folder.iterdir()) if row.is_dir()]


def _metadata(folder: Path) -> Metadata:
    return parse_metadata(read_plain_file(folder / METADATA_FILE, MAX_METADATA_BYTES))


def _record(folder: Path) -> Record | None:
    """The record that a row has; ``None``: none that can be read."""
    try:
        return parse_record(read_plain_file(folder / RECORD_FILE, MAX_RECORD_BYTES))
    except InvalidSubmissionError:
        return None

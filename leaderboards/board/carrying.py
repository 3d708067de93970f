"""Carrying rows over: policies of a benchmark's former version enter the present one, and are scored anew."""

import shutil
from pathlib import Path

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import MAX_KEPT_BYTES, archived_versions, entries_folder
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.folder import is_played
from procgen_bench.leaderboards.submission.metadata import (
    MAX_METADATA_BYTES,
    METADATA_FILE,
    Metadata,
    Run,
    parse_metadata,
    training_file,
)
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file, write_plain_folder
from procgen_bench.leaderboards.submission.training_tasks import kept_file, unpacked_list
from procgen_bench.leaderboards.verification.training_overlap import kept_met


def carry_rows(benchmark: Benchmark, board: Path) -> list[str]:
    """Move the rows of a benchmark's latest former version, whose policies can be played, to the present version.

    What a run met of the suite is counted again, by the list that the board has kept of its training tasks.

    Returns:
        The names of the rows, which have no record until :func:`~.beginning.play_rows` plays them.
    """
    versions = archived_versions(benchmark, board)
    if not versions:
        return []
    carried = []
    for row in sorted(path for path in entries_folder(benchmark, board, versions[0]).iterdir() if path.is_dir()):
        metadata = parse_metadata(read_plain_file(row / METADATA_FILE, MAX_METADATA_BYTES))
        target = entries_folder(benchmark, board) / row.name
        if target.exists() or not is_played(metadata):
            continue
        runs = [_recounted(benchmark, row, number, run) for number, run in enumerate(metadata.runs)]
        raised = metadata.model_copy(update={"benchmark_version": benchmark.version, "runs": runs})
        write_plain_folder(target, _files(row, raised), staging=board)
        shutil.rmtree(row)
        carried.append(row.name)
    return carried


def _files(row: Path, metadata: Metadata) -> dict[str, bytes]:
    names = [*metadata.policy_files, *map(kept_file, metadata.training_files)]
    return {METADATA_FILE: metadata.to_json(), **{name: (row / name).read_bytes() for name in names}}


def _recounted(benchmark: Benchmark, row: Path, number: int, run: Run) -> Run:
    """The run with what it met of the present suite; without a list that the board did not keep."""
    stated, name = run.training_tasks, kept_file(training_file(number))
    if stated is None:
        return run
    try:
        kept = unpacked_list(read_plain_file(row / name, MAX_KEPT_BYTES), stated.count, name)
    except InvalidSubmissionError:
        return run.model_copy(update={"training_tasks": None})
    met = kept_met(benchmark, kept, stated.count)
    return run.model_copy(update={"training_tasks": stated.model_copy(update={"met": met})})

"""Carrying rows over: policies of a benchmark's former version enter the present one, and are scored anew."""

import shutil
from pathlib import Path

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import archived_versions, entries_folder
from procgen_bench.leaderboards.submission.folder import is_played
from procgen_bench.leaderboards.submission.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, parse_metadata
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file, write_plain_folder


def carry_rows(benchmark: Benchmark, board: Path) -> list[str]:
    """Move the rows of a benchmark's latest former version, whose policies can be played, to the present version.

    What their runs met of the former suite is left out: nothing tells what they met of the present one.

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
        runs = [run.model_copy(update={"training_tasks": None}) for run in metadata.runs]
        raised = metadata.model_copy(update={"benchmark_version": benchmark.version, "runs": runs})
        write_plain_folder(target, _files(row, raised), staging=board)
        shutil.rmtree(row)
        carried.append(row.name)
    return carried


def _files(row: Path, metadata: Metadata) -> dict[str, bytes]:
    return {METADATA_FILE: metadata.to_json(), **{name: (row / name).read_bytes() for name in metadata.policy_files}}

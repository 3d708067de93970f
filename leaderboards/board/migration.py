"""Moving a board of the first format over: its rows are replayed and become entries of the present format."""

import datetime
import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from tqdm import tqdm

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.paths import check_folder
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, read_entries
from procgen_bench.leaderboards.board.submitting import add
from procgen_bench.leaderboards.submission.folder import checked_submission
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, MAX_METADATA_BYTES, METADATA_FILE
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder
from procgen_bench.leaderboards.submission.strict_json import parse_json
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE

_RECORD_FILE = "verified.json"
_MAX_BYTES = 64 * 1024 * 1024


def migrate(old: str | PathLike, new: str | PathLike, workers: Workers = None) -> Iterator[Entry]:
    """Replay every entry of a board of format 1 and add it to a board of the present format, on the day it has.

    Args:
        old: The board's folder, which stays as it is.
        new: Another board's folder; made if it does not exist.
        workers: Who replays physics.

    Yields:
        The new entries. Those that the new board has by that name are left out, so that a call that was stopped can be
        made again.

    Raises:
        InvalidSubmissionError, UnverifiableError: An entry is not what its record says.
        UnwritablePathError: The new board is a file.
    """
    check_folder(Path(new))
    for path in tqdm(sorted(Path(old).rglob(_RECORD_FILE)), desc="moving", unit="entry", delay=2):
        submission, submitted_on = _read_first_format(path.parent)
        name = submission.metadata.entry_name
        if not any(entry.name == name for entry in read_entries(submission.benchmark, new)):
            yield add(submission, new, submitted_on, workers=workers)


def _read_first_format(folder: Path) -> tuple[Submission, datetime.date]:
    """The submission in a folder of format 1, in the present format, and its day."""
    with PlainFolder(folder, (METADATA_FILE, TRACES_FILE, _RECORD_FILE)) as files:
        fields = parse_json(files.read(METADATA_FILE, MAX_METADATA_BYTES), METADATA_FILE)
        record = parse_json(files.read(_RECORD_FILE, _MAX_BYTES), _RECORD_FILE)
        raw_traces = files.read(TRACES_FILE, _MAX_BYTES)
    raw_metadata = json.dumps(_in_present_format(fields), indent=2, ensure_ascii=False).encode() + b"\n"
    return checked_submission(raw_metadata, raw_traces), datetime.date.fromisoformat(record["submitted_on"])


def _in_present_format(fields: dict[str, Any]) -> dict[str, Any]:
    """The metadata's fields: without policies, and scripted experts are oracles."""
    environment_id = get_benchmark(fields["benchmark"]).environment_id
    names = [scripted_name(run["policy_hash"], environment_id) for run in fields["runs"]]
    oracle = fields["oracle"] or any(name is not None and get_method(name).oracle for name in names)
    return {**fields, "format_version": FORMAT_VERSION, "policies": False, "oracle": oracle}

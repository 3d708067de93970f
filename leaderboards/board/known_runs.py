"""known_runs.json: the training runs that are known of each cell, so that none of them can be left out of a row.

A cell is what is trained, whatever the seed: a training command without ``--seed``, and without what changes where it
runs. A row enters all known runs of its cell, or it has no rank: of three runs the best one says nothing of a method.
"""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from procgen_bench.core.atomic import write_bytes
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import MAX_SEED, Command, Metadata
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

KNOWN_RUNS_FILE = "known_runs.json"
_MAX_BYTES = 4 * 1024 * 1024
#: Options that change which run of a cell is trained, or where, and not what is trained.
_NOT_OF_THE_CELL = {"--seed", "--device", "--threads"}


class _KnownRuns(StrictModel):
    """The file's content: the seeds of the known runs of each cell."""

    cells: dict[Command, list[Annotated[int, Field(ge=0, le=MAX_SEED)]]]


def cell_of(command: str) -> str:
    """The cell that a training command belongs to; a text that no shell could read is a cell of its own."""
    try:
        words = iter(shlex.split(command))
    except ValueError:
        return command
    kept = []
    for word in words:
        if word in _NOT_OF_THE_CELL:
            next(words, None)
        elif word.partition("=")[0] not in _NOT_OF_THE_CELL:
            kept.append(word)
    return shlex.join(kept)


def known_runs(board: Path) -> dict[str, frozenset[int]]:
    """The seeds of the known runs of each cell; none where a board has no such file.

    Raises:
        CorruptBoardError: The file cannot be read.
    """
    path = board / KNOWN_RUNS_FILE
    if not path.exists():
        return {}
    try:
        content = parse_json(read_plain_file(path, _MAX_BYTES), KNOWN_RUNS_FILE)
        cells = validated(_KnownRuns, content, KNOWN_RUNS_FILE).cells
    except InvalidSubmissionError as error:
        raise CorruptBoardError(f"the board {board} cannot be read ({error.fault}); restore the file") from None
    return {cell: frozenset(seeds) for cell, seeds in cells.items()}


def add_known_runs(runs: Iterable[tuple[str, int]], board: Path) -> int:
    """Note runs on a board, each by its training command and its seed; returns how many are new.

    Raises:
        CorruptBoardError: The board's file cannot be read.
    """
    known = known_runs(board)
    before = sum(map(len, known.values()))
    for command, seed in runs:
        cell = cell_of(command)
        known[cell] = known.get(cell, frozenset()) | {seed}
    content = _KnownRuns(cells={cell: sorted(seeds) for cell, seeds in sorted(known.items())})
    board.mkdir(parents=True, exist_ok=True)
    write_bytes(board / KNOWN_RUNS_FILE, content.model_dump_json(indent=1).encode() + b"\n")
    return sum(map(len, known.values())) - before


def is_selected(metadata: Metadata, known: Mapping[str, frozenset[int]]) -> bool:
    """Whether a row may be a choice among more runs.

    Its training seeds are then not 0, 1, 2 ... without a gap, or the board knows of a run of one of its cells that it
    leaves out.
    """
    seeds = [run.training_seed for run in metadata.runs]
    if sorted(seeds) != list(range(len(seeds))):
        return True
    cells = {cell_of(run.training.command) for run in metadata.runs if run.training is not None}
    return any(not known.get(cell, frozenset()) <= set(seeds) for cell in cells)

"""The traces behind a board's entries: files that are called by what they hold, beside the entries."""

from pathlib import Path

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.submission.traces import Traces

FOLDER = "traces"


class MissingTracesError(ProcgenBenchError):
    """The traces of an entry are not on this machine."""


def relative_path(address: str) -> str:
    """Where traces of a content address lie among others."""
    return f"{address[:2]}/{address}.npz"


def traces_path(address: str, board: Path) -> Path:
    """Where a board keeps the traces of a content address."""
    return board / FOLDER / relative_path(address)


def keep_traces(traces: Traces, board: Path) -> None:
    """Write traces to their place, unless they are there."""
    path = traces_path(traces.address(), board)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, traces.to_npz())


def remove_unfinished_traces(board: Path) -> None:
    """Remove what killed calls of :func:`keep_traces` left on a board; no other may be running."""
    for leftover in (board / FOLDER).glob("*/.*"):
        leftover.unlink()


def read_raw_traces(address: str, board: Path, limit: int) -> bytes:
    """The file's content, not yet held against its address.

    Raises:
        MissingTracesError: It is not there, or larger than ``limit`` bytes.
    """
    path = traces_path(address, board)
    remedy = "`procgen-bench board traces` brings it"
    if not path.is_file():
        raise MissingTracesError(f"the board {board} does not hold the traces {address}; {remedy}")
    if path.stat().st_size > limit:
        raise MissingTracesError(f"{path} is larger than the {limit} bytes that its traces can have; {remedy} again")
    return path.read_bytes()

"""What every refusal must be: one line, soon, within little memory, and nothing changed on disk."""

import hashlib
import os
import re
import stat
from pathlib import Path

import pytest

from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from tests.leaderboards.attacks.meter import Meter

SECONDS, MEBIBYTES = 2.0, 16.0
#: How much longer it may take where other processes have the processor; checks that wait for an attacker wait longer.
_BUSY = 10


def tree_hash(root: Path) -> str:
    """Hash over every path below ``root`` and every file's bytes (of one that no disk holds: its size)."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        whole = stat.S_ISREG(status.st_mode) and status.st_size < 10**9
        content = path.read_bytes() if whole else b"no file"
        digest.update(os.fsencode(path.relative_to(root)) + f"|{status.st_mode}|{status.st_size}|".encode() + content)
    return digest.hexdigest()


def assert_refused(
    folder: Path,
    board: Path,
    pattern: str,
    error: type[Exception] = InvalidSubmissionError,
    seconds: float = SECONDS,
    mebibytes: float = MEBIBYTES,
) -> tuple[Exception, Meter]:
    """A board refuses a submission; returns the refusal and what it cost."""
    before = tree_hash(board)
    with Meter() as cost, pytest.raises(error) as refusal:
        submit(folder, board)
    assert_one_line(str(refusal.value), pattern)
    assert_cheap(cost, seconds, mebibytes)
    assert tree_hash(board) == before
    return refusal.value, cost


def assert_one_line(message: str, pattern: str) -> None:
    """A message that matches, on one short line, whatever is attacked with."""
    assert re.search(pattern, message), message
    assert message.isprintable() and len(message) < 500, message


def assert_cheap(cost: Meter, seconds: float = SECONDS, mebibytes: float = MEBIBYTES) -> None:
    """Neither time nor memory was taken."""
    found = f"{cost.processor_seconds:.2f} s of {cost.seconds:.2f} s, {cost.mebibytes:.0f} MiB"
    assert cost.processor_seconds < seconds and cost.seconds < _BUSY * seconds, found
    assert cost.mebibytes < mebibytes, found

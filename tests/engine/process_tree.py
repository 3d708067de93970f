"""What the system knows of a process: its children, whether it lives, its descriptors."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int | None = None) -> set[int]:
    """The living child processes of a process, by default of this one."""
    found = set()
    for thread in Path(f"/proc/{pid or os.getpid()}/task").iterdir():
        found |= {int(child) for child in (thread / "children").read_text().split()}
    return {child for child in found if alive(child)}


def alive(pid: int) -> bool:
    """Whether a process runs (one that has ended and is yet to be asked for its exit code does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def comes_true(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether ``condition`` becomes true within this time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True

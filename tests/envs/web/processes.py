"""The processes of this machine, read from /proc."""

import os
import signal
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.engine.process_tree import comes_true

#: Whether a condition comes to hold in time.
wait_until = partial(comes_true, seconds=15.0)


class Process(NamedTuple):
    """A process; the time of its start tells it from a later one of the same number."""

    pid: int
    start: str

    @property
    def running(self) -> bool:
        fields = _stat(self.pid)
        return fields is not None and fields[19] == self.start and fields[0] != "Z"

    @property
    def command(self) -> str:
        """Its command line, words separated by spaces; nothing of one that has ended."""
        try:
            return Path(f"/proc/{self.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            return ""

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def descendants(pid: int | None = None) -> set[Process]:
    """The running processes below one (by default this one)."""
    children: dict[int, list[Process]] = {}
    for folder in Path("/proc").iterdir():
        fields = _stat(int(folder.name)) if folder.name.isdigit() else None
        if fields is not None and fields[0] != "Z":
            children.setdefault(int(fields[1]), []).append(Process(int(folder.name), fields[19]))
    found, waiting = set(), [os.getpid() if pid is None else pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting.extend(process.pid for process in below)
    return found


def chromium() -> Process:
    """The browser process of this process's Chromium.

    A child of it has the same command line until it becomes a program of its own, so it is the uppermost of its kind.
    """
    found = {
        process
        for process in descendants()
        if "--remote-debugging-pipe" in process.command
        and "--type=" not in process.command
        and not process.command.startswith("/bin/sh")
    }
    return _only(found - {child for process in found for child in descendants(process.pid)})


def chromium_and_below() -> set[Process]:
    """The browser process of this process's Chromium, and those that it started."""
    browser = chromium()
    return {browser, *descendants(browser.pid)}


def renderers() -> set[Process]:
    """The processes that hold this process's pages."""
    return {process for process in descendants() if "--type=renderer" in process.command}


def _only(processes) -> Process:
    (process,) = processes
    return process


def _stat(pid: int) -> list[str] | None:
    """The fields of a process's stat from its state on; ``None``: there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None

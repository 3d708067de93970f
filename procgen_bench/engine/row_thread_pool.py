"""RowThreadPool: threads of this process that share out a vector environment's rows."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.engine.interruption import interruption_deferred


class RowThreadPool:
    """Threads for work that releases Python's lock, as MuJoCo's steps do.

    The caller's thread is one of them; the others wait between calls, and end with this object or with the process. A
    forked process, or one that unpickles a copy, has threads of its own.

    Args:
        num_threads: How many there are with the caller's; with one there are no others.
    """

    def __init__(self, num_threads: int):
        self.num_threads = num_threads
        self._pool: ThreadPoolExecutor | None = None
        self._owner = 0

    def each(self, rows: list[int], work: Callable[[int], Any]) -> tuple[dict[int, Any], dict[int, Exception]]:
        """Do ``work`` for each of ``rows``: the next free thread takes the next row; the order must not matter.

        Like a compiled step, it is not interrupted by Ctrl-C, which counts when all rows are done.

        Returns:
            By row, what came of it, and the errors that were raised where it failed.
        """
        done: dict[int, Any] = {}
        failed: dict[int, Exception] = {}
        left = iter(rows)
        with interruption_deferred(insisting=False):
            others = [
                self._others().submit(_work_through, left, work, done, failed)
                for _ in range(min(self.num_threads, len(rows)) - 1)
            ]
            _work_through(left, work, done, failed)
            wait(others)
        return done, failed

    def close(self) -> None:
        """Let the threads end; again without effect."""
        if self._pool is not None and self._owner == os.getpid():
            self._pool.shutdown(wait=True)
        self._pool = None

    def _others(self) -> ThreadPoolExecutor:
        if self._pool is None or self._owner != os.getpid():
            self._pool, self._owner = ThreadPoolExecutor(self.num_threads - 1, "procgen_bench-row"), os.getpid()
        return self._pool

    def __reduce__(self):
        return RowThreadPool, (self.num_threads,)


def _work_through(
    left: Iterator[int], work: Callable[[int], Any], done: dict[int, Any], failed: dict[int, Exception]
) -> None:
    for row in left:  # a list's iterator gives no row to two threads
        try:
            with exits_are_errors:
                done[row] = work(row)
        except Exception as error:
            failed[row] = error


def first_failure(failed: dict[int, Exception]) -> Exception:
    """The error of the first row that failed, with a note of which it is."""
    row = min(failed)
    failed[row].add_note(f"In row {row}.")
    return failed[row]

"""Worker: a process that holds some rows of a vector environment, or does jobs, as its parent sees it.

A worker is an interpreter started afresh. A forked copy of this process could hang for good in a lock that a thread of
PyTorch, Numba or OpenBLAS held at that moment. :mod:`multiprocessing`'s own ways to start afresh run the user's program
a second time in every worker, which fails in notebooks and in programs that don't expect it; here it is left alone,
so what is handed to a worker cannot be of a class that the program itself defines. Starting costs the import of the
family's modules, 0.4 to 0.9 s of processor time, which workers spend side by side.
"""

import json
import os
import pickle
import selectors
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from multiprocessing import Pipe
from typing import Any

from procgen_bench.core.errors import WorkerDiedError
from procgen_bench.engine.processors import ONE_THREAD
from procgen_bench.engine.serving import Failure

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from procgen_bench.engine.serving import serve; serve(int(sys.argv[1]))"
)
_SECONDS_TO_END = 5.0
_NO_ROWS = range(0)


class Worker:
    """One worker process; it ends when this end of the connection is closed, also by this process's death.

    Args:
        number: Which of the workers it is, from 0.
        rows: The rows that it holds; none by default.
        descriptors: Descriptors that the worker inherits.
    """

    def __init__(self, number: int, rows: range = _NO_ROWS, descriptors: Sequence[int] = ()):
        self.number, self.rows = number, rows
        self._connection, far_end = Pipe()
        with far_end:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(far_end.fileno()), json.dumps([str(path) for path in sys.path])],
                pass_fds=(far_end.fileno(), *descriptors),
                env=os.environ | ONE_THREAD,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is this process's to answer
            )

    def send(self, *request: Any) -> None:
        """Send a request, which :meth:`receive` answers; the first is the host's class and its arguments.

        Raises:
            WorkerDiedError: The process has ended.
        """
        content = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        try:
            self._connection.send_bytes(content)
        except OSError as error:
            raise self._died() from error

    def receive(self) -> Any:
        """The answer to the last request: a value, or a :class:`Failure`.

        Raises:
            WorkerDiedError: The process has ended.
        """
        try:
            content = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise self._died() from error
        return pickle.loads(content)

    def error_of(self, failure: Failure) -> Exception:
        """The error that failed in the worker, of its own type, with a note of where."""
        return failure.error(f"worker {self.number}" + ("" if failure.row is None else f", row {failure.row}"))

    def fileno(self) -> int:
        """The connection's descriptor."""
        return self._connection.fileno()

    def hang_up(self) -> None:
        """Close the connection, whereupon the process ends."""
        self._connection.close()

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        self._connection.close()
        self._process.kill()

    def wait(self, until: float) -> None:
        """Wait for the process's end; past ``until`` (of :func:`time.monotonic`) it is killed."""
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _died(self) -> WorkerDiedError:
        self.hang_up()
        self.wait(time.monotonic() + _SECONDS_TO_END)
        return WorkerDiedError(self.number, self._process.returncode, self.rows or None)


def answered(workers: Iterable[Worker]) -> list[Worker]:
    """Those that have answered or ended, as soon as one has."""
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker, selectors.EVENT_READ, worker)
        return [key.data for key, _ in selector.select()]


def stop(workers: Iterable[Worker], owner: int, at_once: bool = False) -> None:
    """End the workers' processes, again without effect; in another process than ``owner`` (a forked one) do nothing.

    Args:
        workers: The workers.
        owner: The process that started them.
        at_once: Whether they are killed, whatever they are doing, instead of when they are done with it.
    """
    if os.getpid() != owner:
        return
    for worker in workers:
        if at_once:
            worker.kill()
        worker.hang_up()
    until = time.monotonic() + _SECONDS_TO_END
    for worker in workers:
        worker.wait(until)

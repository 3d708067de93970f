"""Worker: a process that holds some rows of a vector environment, as its parent sees it.

A worker is an interpreter started afresh. A forked copy of this process could hang for good in a lock that a thread of
PyTorch, Numba or OpenBLAS held at that moment. :mod:`multiprocessing`'s own ways to start afresh run the user's program
a second time in every worker, which fails in notebooks and in programs that don't expect it; here it is left alone,
so what is handed to a worker cannot be of a class that the program itself defines. Starting costs the import of the
family's modules, 0.4 to 0.9 s of processor time, which workers spend side by side.
"""

import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterable
from multiprocessing import Pipe
from typing import Any

from procgen_bench.errors import WorkerDiedError
from procgen_bench.processors import ONE_THREAD
from procgen_bench.worker_process import Failure

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from procgen_bench.worker_process import serve; serve(int(sys.argv[1]))"
)
_SECONDS_TO_END = 5.0


class Worker:
    """One worker process; it ends when this end of the connection is closed, also by this process's death.

    Args:
        number: Which of the workers it is, from 0.
        rows: The rows that it holds.
        memory: Descriptor of the shared arrays, which the worker inherits.
    """

    def __init__(self, number: int, rows: range, memory: int):
        self.number, self.rows = number, rows
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), json.dumps([str(path) for path in sys.path])],
                pass_fds=(theirs.fileno(), memory),
                env=os.environ | ONE_THREAD,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is this process's to answer
            )

    def send(self, *request: Any) -> None:
        """Send a request, which :meth:`receive` answers.

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
        error = failure.error()
        place = f"worker {self.number}" + ("" if failure.row is None else f", row {failure.row}")
        error.add_note(f"In {place}:\n{failure.trace}")
        return error

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
        return WorkerDiedError(self.number, self.rows, self._process.returncode)


def stop(workers: Iterable[Worker], owner: int) -> None:
    """End the workers' processes, again without effect; in another process than ``owner`` (a forked one) do nothing."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.hang_up()
    until = time.monotonic() + _SECONDS_TO_END
    for worker in workers:
        worker.wait(until)

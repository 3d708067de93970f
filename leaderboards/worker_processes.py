"""Jobs spread over processes, whose results come as they are done. Each process computes with one thread."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from procgen_bench.errors import ProcgenBenchError
from procgen_bench.processors import ONE_THREAD


class WorkerError(ProcgenBenchError):
    """A job cannot be done: its worker process met bad input, or died."""


def finished_jobs(
    function: Callable[..., Any], jobs: Sequence[tuple], workers: int | None
) -> Iterator[tuple[int, Any]]:
    """Call ``function(*job)`` for every job.

    Worker processes are fresh ones that import what they need, compute with one thread, and take the next job when they
    are done with one. They end with the iterator: when it is exhausted, closed, or an error leaves it, Ctrl-C included;
    and by themselves should this process die.

    Args:
        function: A function of a module.
        jobs: Arguments for each call; they and the results are pickled.
        workers: Number of processes, at least 1; ``None``: all is done in this one.

    Yields:
        (place of the job, result), in the order in which they are done.

    Raises:
        WorkerError: A job met a :class:`ProcgenBenchError`, or its process died.
        RuntimeError: A job raised another error, whose traceback is in the message.
    """
    if workers is None:
        yield from ((place, function(*job)) for place, job in enumerate(jobs))
        return
    waiting = list(range(len(jobs)))[::-1]
    crew = _Crew(min(workers, len(jobs)))
    try:
        for worker in crew.connections[: len(waiting)]:
            crew.send(worker, waiting.pop(), function, jobs)
        while crew.places:
            for worker in connection.wait(list(crew.places)):
                place, result = crew.receive(worker)
                if waiting:
                    crew.send(worker, waiting.pop(), function, jobs)
                yield place, result
    finally:
        crew.dismiss()


class _Crew:
    """Worker processes.

    Attributes:
        connections: The pipe to each.
        places: Place of the job that each busy one does, by its pipe.
    """

    def __init__(self, size: int):
        context = get_context("spawn")
        self.connections: list[Connection] = []
        self.places: dict[Connection, int] = {}
        self._processes: dict[Connection, BaseProcess] = {}
        with _inherited_by_workers():
            for _ in range(size):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                self.connections.append(ours)
                self._processes[ours] = process

    def send(self, worker: Connection, place: int, function: Callable[..., Any], jobs: Sequence[tuple]) -> None:
        """Give a job to an idle worker."""
        self.places[worker] = place
        try:
            worker.send((function, jobs[place]))
        except OSError:
            raise self._death(worker) from None

    def receive(self, worker: Connection) -> tuple[int, Any]:
        """The job that a worker has done, and its result."""
        try:
            kind, value = worker.recv()
        except (EOFError, OSError):
            raise self._death(worker) from None
        if kind == "refused":
            raise WorkerError(value)
        if kind == "failed":
            raise RuntimeError(f"a worker process failed:\n{value}")
        return self.places.pop(worker), value

    def dismiss(self) -> None:
        """End all workers, whatever they are doing."""
        for process in self._processes.values():
            process.terminate()
        for ours, process in self._processes.items():
            process.join()
            ours.close()

    def _death(self, worker: Connection) -> WorkerError:
        process = self._processes[worker]
        process.join()
        code = process.exitcode
        cause = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return WorkerError(
            f"a worker process died of {cause}; with fewer --workers each has more memory"
            if code == -signal.SIGKILL
            else f"a worker process died of {cause}"
        )


@contextmanager
def _inherited_by_workers() -> Iterator[None]:
    """While workers are started: the environment that gives them one thread, and no Ctrl-C, which is for us to take."""
    old_environment = {name: os.environ.get(name) for name in ONE_THREAD}
    takes_signals = threading.current_thread() is threading.main_thread()
    old_handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if takes_signals else None
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in old_environment.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if takes_signals:
            signal.signal(signal.SIGINT, old_handler)


def _work(jobs: Connection) -> None:
    """A worker's life: do jobs until the pipe ends, or the process that started it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, arguments = jobs.recv()
        except EOFError:
            return
        jobs.send(_answer(function, arguments))


def _answer(function: Callable[..., Any], arguments: tuple) -> tuple[str, Any]:
    try:
        return "done", function(*arguments)
    except ProcgenBenchError as error:  # sent as text, since not every error survives pickling
        return "refused", str(error)
    except Exception:
        return "failed", traceback.format_exc()


def _end_with_parent() -> None:
    connection.wait([parent_process().sentinel])
    sys.stderr.flush()
    os._exit(1)

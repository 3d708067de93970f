"""Work in parallel: calls of one function, done by worker processes of this machine or by a Ray cluster.

The function and its arguments are pickled by name, so they belong in modules, not in the program itself. What a call
gives must not depend on who does it; then results don't depend on the number of workers. Each computes with one thread.
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import WorkerDiedError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.progress import Progress
from procgen_bench.engine.serving import Failure
from procgen_bench.engine.worker import Worker, answered, stop

#: Seconds between a worker's looks at whether its parent is still there.
_LOOKING_INTERVAL = 0.5


@dataclass(frozen=True)
class RayCluster:
    """Machines that work together by Ray; on each, this package is installed and paths lead to the same files.

    Attributes:
        address: As ``ray.init`` takes it; ``"local"`` starts a cluster on this machine, and ends it with the work.
        most_jobs: How many jobs are done at the same time at most; ``None``: one for each processor.
    """

    address: str
    most_jobs: int | None = None


#: Who does the work: so many worker processes of this machine, a cluster, or, ``None``, this process itself.
Workers = int | RayCluster | None
Results = Generator[tuple[int, Any], None, None]


def finished_jobs(
    function: Callable[..., Any], jobs: Sequence[tuple], workers: Workers, keep_going: bool = False
) -> Results:
    """Call ``function(*job)`` for every job.

    Worker processes are interpreters started afresh that import what they need, and take the next job when they are
    done with one. They end with the iterator: when it is exhausted, closed, or an error leaves it, Ctrl-C included; and
    by themselves should this process die.

    Args:
        function, jobs: What is called with what.
        workers: Who calls.
        keep_going: Whether a job whose worker died has that error as its result, and a fresh worker does the next job.

    Yields:
        (place of the job, result), in the order in which they are done.

    Raises:
        InvalidOptionError: ``workers`` is no number of at least 1, or workers cannot load the function or a job.
        WorkerDiedError: A worker process died.
        MissingExtraError: There is no Ray.
        LostJobError: The cluster cannot be reached, or has lost a job.

    A job's error is raised with its own type and a note of where it was.
    """
    if workers is None:
        yield from ((place, function(*job)) for place, job in enumerate(jobs))
    elif isinstance(workers, RayCluster):
        on_ray = import_extra("procgen_bench.engine.ray_jobs")
        yield from on_ray.finished_on_ray(function, jobs, workers.address, workers.most_jobs, keep_going)
    else:
        check_count("workers", workers)
        yield from _finished_in_processes(function, jobs, workers, keep_going)


def parallel_map(
    function: Callable[[Any], Any],
    items: Sequence,
    workers: Workers,
    progress: str | None = None,
    unit: str = "it",
    keep_going: bool = False,
) -> list:
    """``[function(item) for item in items]``, spread over workers; see :func:`finished_jobs`.

    Args:
        function, items: What is called with what.
        workers: Who calls.
        progress: Title of a progress bar, which counts in ``unit``; ``None`` for none.
        unit: What an item is called.
        keep_going: See :func:`finished_jobs`.
    """
    results = [None] * len(items)
    bar = Progress(desc=progress, total=len(items), unit=unit, disable=progress is None)
    with bar, closing(finished_jobs(function, [(item,) for item in items], workers, keep_going)) as finished:
        for place, result in finished:
            results[place] = result
            bar.update()
    return results


class _HostedJobs:
    """What a worker process of jobs holds: nothing."""

    def __init__(self, parent: int):
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()

    def do(self, function: Callable[..., Any], arguments: tuple) -> Any:
        """A job's result."""
        return function(*arguments)

    def close(self) -> None:
        """Nothing is left to do."""


def _end_with(parent: int) -> None:
    """End this process, also in the midst of a job, when it is no child of ``parent`` any more."""
    while os.getppid() == parent:
        time.sleep(_LOOKING_INTERVAL)
    os._exit(1)


def _finished_in_processes(function: Callable[..., Any], jobs: Sequence[tuple], size: int, keep_going: bool) -> Results:
    waiting = list(range(len(jobs)))[::-1]
    workers: list[Worker] = []
    places: dict[Worker, int] = {}
    owner = os.getpid()
    try:
        for number in range(min(size, len(jobs))):
            workers.append(Worker(number))
            workers[-1].send(_HostedJobs, owner)
        for worker in workers:  # they have started side by side
            _answer_of(worker)
            places[worker] = waiting.pop()
            worker.send("do", function, jobs[places[worker]])
        while places:
            for worker in answered(places):
                place = places.pop(worker)
                try:
                    result = _answer_of(worker)
                except WorkerDiedError as death:
                    if not keep_going:
                        raise
                    result = death
                    worker = Worker(worker.number)
                    workers.append(worker)
                    worker.send(_HostedJobs, owner)
                    _answer_of(worker)
                if waiting:
                    places[worker] = waiting.pop()
                    worker.send("do", function, jobs[places[worker]])
                yield place, result
    finally:
        stop(workers, owner, at_once=True)


def _answer_of(worker: Worker) -> Any:
    answer = worker.receive()
    if isinstance(answer, Failure):
        raise worker.error_of(answer)
    return answer

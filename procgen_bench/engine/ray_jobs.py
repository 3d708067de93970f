"""Jobs done by a Ray cluster; :mod:`procgen_bench.engine.parallel` is the way here."""

import logging
import os
import socket
from collections.abc import Callable, Generator, Sequence
from typing import Any

import ray
from ray.exceptions import RayError

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.engine.processors import ONE_THREAD
from procgen_bench.engine.serving import Failure

_SECONDS_TO_ANSWER = 10.0


class LostJobError(ProcgenBenchError):
    """A Ray cluster cannot be reached, or the process that did a job died."""


def finished_on_ray(
    function: Callable[..., Any], jobs: Sequence[tuple], address: str, most_jobs: int | None, keep_going: bool = False
) -> Generator[tuple[int, Any], None, None]:
    """As :func:`~procgen_bench.engine.parallel.finished_jobs`; jobs that are not done when it ends are cancelled.

    Args:
        function, jobs: What is called with what.
        address: See :class:`~procgen_bench.engine.parallel.RayCluster`. A connection that this process has is used.
        most_jobs: How many jobs are done at the same time at most.
        keep_going: Whether a job that the cluster has lost has that error as its result.

    Raises:
        LostJobError: There is no such cluster, or it has lost a job.
    """
    connected = not ray.is_initialized() and _connect(address, most_jobs)
    remote = ray.remote(num_cpus=1, max_retries=0, runtime_env={"env_vars": ONE_THREAD})(_result)
    waiting = list(range(len(jobs)))[::-1]
    places: dict[ray.ObjectRef, int] = {}
    try:
        while waiting or places:
            while waiting and len(places) < (most_jobs or len(jobs)):
                place = waiting.pop()
                places[remote.remote(function, jobs[place])] = place
            for reference in ray.wait(list(places))[0]:
                place = places.pop(reference)
                try:
                    result = _received(reference, place)
                except LostJobError as loss:
                    if not keep_going:
                        raise
                    result = loss
                yield place, result
    finally:
        for reference in places:
            ray.cancel(reference, force=True)
        if connected:
            ray.shutdown()


def _connect(address: str, most_jobs: int | None) -> bool:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage statistics are sent unless the user asks for it
    size: dict[str, Any] = {"num_cpus": most_jobs, "include_dashboard": False} if address == "local" else {}
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if port.isdecimal():  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **size)
    except (OSError, ValueError, RuntimeError) as error:
        raise LostJobError(f"the Ray cluster {address!r} cannot be reached: {error}") from error
    return True


def _received(reference: ray.ObjectRef, place: int) -> Any:
    try:
        answer = ray.get(reference)
    except RayError as error:
        raise LostJobError(f"the Ray cluster has lost job {place}: {error}") from error
    if isinstance(answer, Failure):
        raise answer.error(f"job {place} of a Ray cluster")
    return answer


def _result(function: Callable[..., Any], arguments: tuple) -> Any:
    try:
        with exits_are_errors:
            return function(*arguments)
    except Exception as error:
        return Failure.of(error)

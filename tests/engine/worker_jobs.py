"""What worker processes do in tests."""

import os
import signal
import sys
import time

from procgen_bench.core.errors import InvalidOptionError


def double(value: int, seconds: float = 0.0) -> int:
    time.sleep(seconds)
    return 2 * value


def threads() -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def refuse(value: int) -> None:
    raise InvalidOptionError(f"value is {value}")


def fail() -> None:
    raise ZeroDivisionError("oh")


def end_program() -> None:
    sys.exit(0)


def die(number: int) -> None:
    os.kill(os.getpid(), number)


def leave(code: int) -> None:
    os._exit(code)


def own_process(folder: str, seconds: float) -> None:
    open(f"{folder}/{os.getpid()}", "w").close()
    time.sleep(seconds)


def note(folder: str, job: int) -> None:
    open(f"{folder}/{job}", "w").close()


def note_and_sleep(folder: str) -> None:
    own_process(folder, 600.0)


def node_of(folder_and_job: tuple[str, int]) -> str:
    """The Ray node that does the job, which ends when its neighbour has begun: the even one before an odd one."""
    import ray

    folder, job = folder_and_job
    note(folder, job)
    while not os.path.exists(f"{folder}/{job ^ 1}"):
        time.sleep(0.01)
    return ray.get_runtime_context().get_node_id()


KILL = int(signal.SIGKILL)


def call(function_and_arguments):
    function, arguments = function_and_arguments
    return function(*arguments)

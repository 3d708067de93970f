"""Processors: how many there are for worker processes, and what has each compute with one thread."""

import os

from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import InvalidOptionError

#: The environment in which numerical libraries, when they are loaded, take one thread: there are as many workers as
#: processors.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def available_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_helpers(name: str, count: int | None, num_rows: int) -> int:
    """``count`` workers or threads, as an argument of this name asks for; ``None``: as many as this process may use
    processors, one per row at most."""
    if count is None:
        return min(available_processors(), num_rows)
    check_count(name, count)
    if count > num_rows:
        raise InvalidOptionError(f"{name} is {count}, expected at most one per row ({num_rows})")
    return int(count)

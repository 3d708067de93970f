"""Processors: how many there are for worker processes, and what has each compute with one thread."""

import os

from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import InvalidOptionError

#: How many threads, or processes, vector environments take by default.
HELPERS = "PROCGEN_BENCH_THREADS"
#: The environment in which vector environments, and numerical libraries when they are loaded, take one thread: there
#: are as many workers as processors.
ONE_THREAD = dict.fromkeys(
    (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"),
        HELPERS,
    ),
    "1",
)


def available_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_helpers(name: str, count: int | None, num_rows: int) -> int:
    """How many workers or threads step ``num_rows`` rows, one per row at most.

    Args:
        name: The argument that says so.
        count: Their number; ``None``: one for each processor that this process may use, or ``PROCGEN_BENCH_THREADS``,
            which is 1 in worker processes.
        num_rows: Number of rows.

    Raises:
        InvalidOptionError: There are more than rows, or it is no number.
    """
    if count is None:
        said = os.environ.get(HELPERS, "")
        return min(int(said) if said.isdecimal() and int(said) else available_processors(), num_rows)
    check_count(name, count)
    if count > num_rows:
        raise InvalidOptionError(f"{name} is {count}, expected at most one per row ({num_rows})")
    return int(count)

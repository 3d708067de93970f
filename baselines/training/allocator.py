"""What glibc does with the memory that torch frees."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Numbers of mallopt's parameters (malloc.h): what is kept, and glibc's own values.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_KEEPING = {_MMAP_MAX: 0, _TRIM_THRESHOLD: 2**31 - 1, _TOP_PAD: 64 * 2**20}
_GIVING_BACK = {_MMAP_MAX: 65_536, _TRIM_THRESHOLD: 128 * 2**10, _TOP_PAD: 0}


@contextmanager
def freed_memory_is_kept() -> Iterator[None]:
    """Meanwhile this process keeps what it frees, for the next arrays of that size; without glibc, nothing happens.

    By default glibc maps new pages for every array of more than some megabytes, and the kernel fills them with zeros:
    half of the processor time of PPO's updates on BitGrid's maps and GMiniWoB's pages.
    """
    libc = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
    if not (hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim")):
        yield
        return
    assert libc is not None
    for parameter, value in _KEEPING.items():
        libc.mallopt(parameter, value)
    try:
        yield
    finally:
        for parameter, value in _GIVING_BACK.items():
            libc.mallopt(parameter, value)
        libc.malloc_trim(0)

"""What glibc does with the memory that torch frees."""

import ctypes
import sys

#: Numbers of mallopt's parameters (malloc.h).
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_GREATEST, _AT_ONCE = 2**31 - 1, 64 * 2**20


def keep_freed_memory() -> None:
    """Let this process keep what it frees, for the next arrays of that size; without glibc, nothing happens.

    By default glibc maps every array of more than some megabytes anew, and the kernel fills it with zeros, page by
    page: half of the processor time of PPO's updates on BitGrid's maps and GMiniWoB's pages.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, value in ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, _GREATEST), (_TOP_PAD, _AT_ONCE)):
            mallopt(parameter, value)

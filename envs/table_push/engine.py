"""PyBullet, imported without the line that it prints to standard output, which belongs to programs and their pipes."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from procgen_bench.extras import import_extra

_STANDARD_OUTPUT = 1


@contextmanager
def _nothing_printed() -> Iterator[None]:
    """What C code prints inside is thrown away."""
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    kept, nowhere = os.dup(_STANDARD_OUTPUT), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STANDARD_OUTPUT)
    try:
        yield
    finally:
        flush(None)
        os.dup2(kept, _STANDARD_OUTPUT)
        os.close(kept)
        os.close(nowhere)


with _nothing_printed():
    pybullet = import_extra("pybullet", "pybullet")

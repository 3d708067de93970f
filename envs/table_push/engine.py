"""PyBullet, imported without the line that it prints to standard error, which would look like a warning."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from procgen_bench.core.extras import import_extra

_STANDARD_ERROR = 2


@contextmanager
def _no_complaints() -> Iterator[None]:
    """What C code writes to standard error inside is thrown away."""
    kept, nowhere = os.dup(_STANDARD_ERROR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STANDARD_ERROR)
    try:
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)
        os.close(nowhere)


with _no_complaints():
    pybullet = import_extra("pybullet", "pybullet")

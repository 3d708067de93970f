"""A disk that is full, by a limit of this process: that needs neither root nor a disk of its own."""

import resource
import sys
from contextlib import contextmanager

import pytest


@contextmanager
def full_above(size: int):
    """No file may have more bytes: a write in the midst of it fails, as on a full disk.

    Bytecode is not kept meanwhile: Python does not notice that it was cut short, and the package that was imported here
    could not be imported any more.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

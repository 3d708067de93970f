"""Files of policies from outside, before anything is read of them."""

import stat
from pathlib import Path

from procgen_bench.core.errors import InvalidPolicyError


def regular_file(path: Path, max_bytes: int) -> Path:
    """The path itself, if it is a file of so many bytes at most: no pipe that is waited for, no device without end."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidPolicyError(f"{path} is {stat.filemode(status.st_mode)!r}, expected a regular file and no link")
    if status.st_size > max_bytes:
        raise InvalidPolicyError(f"{path} has {status.st_size} bytes, expected at most {max_bytes}")
    return path

"""Suites kept as data: named arrays in one compressed file, with a checksum over their content."""

import hashlib
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike

import numpy as np

from procgen_bench.errors import ProcgenBenchError


class CorruptSuiteError(ProcgenBenchError):
    """A suite's data file does not hold what was published."""


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (hexadecimal) over the arrays' names, types, shapes and contents, in the names' order."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode() + array.tobytes())
    return digest.hexdigest()


def read_suite_file(path: PathLike, expected: str) -> dict[str, np.ndarray]:
    """Read the arrays of a suite's ``.npz`` file and hold them against the published checksum.

    Raises:
        CorruptSuiteError: The file cannot be read, or the content's checksum is another than ``expected``.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise _corrupt(path, f"cannot be read ({error})") from None
    found = checksum(arrays)
    if found != expected:
        raise _corrupt(path, f"has checksum {found}, expected {expected}")
    return arrays


def _corrupt(path: PathLike, fault: str) -> CorruptSuiteError:
    return CorruptSuiteError(f"{path} {fault}; reinstall procgen_bench to restore the file")

"""Suites kept as data: named arrays in one compressed file, with a checksum over their content."""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError


class CorruptSuiteError(ProcgenBenchError):
    """A suite's data file does not hold what was published."""


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (64 hexadecimal digits) over the names, dtypes, shapes and contents of arrays, in the names' order."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode() + array.tobytes())
    return digest.hexdigest()


def read_suite_file(path: Path, expected: str) -> dict[str, np.ndarray]:
    """Read the arrays of a suite's ``.npz`` file by name, of any shape and of every dtype but object, and hold them
    against the published checksum.

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


def write_suite_file(folder: Path, name: str, arrays: Mapping[str, np.ndarray]) -> str:
    """Write a suite's arrays, of every dtype but object, into ``folder`` as ``NAME.npz``; return their checksum.

    ``folder`` is made if it is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **dict(arrays))
    write_bytes(folder / f"{name}.npz", content.getvalue())
    return checksum(arrays)


def _corrupt(path: Path, fault: str) -> CorruptSuiteError:
    return CorruptSuiteError(f"{path} {fault}; reinstall procgen_bench to restore the file")

"""Suites kept as data: named arrays in one compressed file, with a checksum over their content."""

import hashlib
import io
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

import numpy as np

from procgen_bench.atomic import write_bytes
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


def write_suite_files(folder: Path, suites: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, str]:
    """Write every suite's arrays into ``folder``, which is made if it is missing, as ``NAME.npz``.

    Returns:
        The files' checksums, by suite.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, arrays in suites.items():
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)
        write_bytes(folder / f"{name}.npz", content.getvalue())
    return {name: checksum(arrays) for name, arrays in suites.items()}


def run_generator(generate: Callable[[Path], dict[str, str]], data_folder: Path) -> None:
    """A generator's command line: ``generate`` into the folder that it names, else into ``data_folder``.

    Prints the checksum of every suite.
    """
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder
    for name, digest in generate(target).items():
        print(name, digest)


def _corrupt(path: PathLike, fault: str) -> CorruptSuiteError:
    return CorruptSuiteError(f"{path} {fault}; reinstall procgen_bench to restore the file")

"""Compiled functions that come with the package, so that its first use on a common processor compiles nothing.

A wheel may hold an archive of what ``procgen-bench compile`` made for the processor level x86-64-v3, which every x86
processor with AVX2 runs. An entry holds under the same conditions as one that was compiled here: Numba's version, and a
stamp of everything that the function contains. Elsewhere, or where the archive lacks a function, Numba compiles it.
"""

import functools
import os
import pickle
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba import __version__ as NUMBA_VERSION
from numba.core.caching import IndexDataCacheFile

#: Numba compiles for this level where ``NUMBA_CPU_NAME`` names it and ``NUMBA_CPU_FEATURES`` is empty.
LEVEL = "x86-64-v3"
#: LLVM's names of features that processors of this level have, and some older ones lack.
_FEATURES = {
    "avx",
    "avx2",
    "bmi",
    "bmi2",
    "f16c",
    "fma",
    "lzcnt",
    "movbe",
    "popcnt",
    "sse4.1",
    "sse4.2",
    "ssse3",
    "xsave",
}
_PACKAGE = Path(__file__).parents[1]
#: Machine code differs between versions of Python, so that each has an archive of its own.
ARCHIVE = Path(__file__).parent / "data" / f"kernels-py{sys.version_info[0]}{sys.version_info[1]}.zip"


class ShippedFiles(IndexDataCacheFile):
    """One function's entries in the archive, which are only read.

    Args:
        module: Name of the function's module.
        base: Numba's name of the function's files.
    """

    def __init__(self, module: str, base: str):
        super().__init__(module.rpartition(".")[0], base, source_stamp=None)

    def use_stamp(self, stamp: str) -> None:
        """From now on, entries of this stamp hold."""
        self._source_stamp = stamp

    def load(self, key: tuple) -> Any:
        """The entry of a key, or ``None``; of the key's processor only the platform matters."""
        signature, (platform, *_), code = key
        return super().load((signature, (platform, LEVEL, ""), code))

    def _load_index(self) -> dict:
        files = _archive(os.getpid())
        if files is None or self._index_path not in files.NameToInfo:
            return {}
        version, stamp, overloads = pickle.loads(files.read(self._index_path))
        return overloads if (version, stamp) == (NUMBA_VERSION, self._source_stamp) else {}

    def _load_data(self, name: str) -> Any:
        files = _archive(os.getpid())
        assert files is not None  # as its index was read
        return pickle.loads(files.read(self._data_path(name)))


def is_runnable() -> bool:
    """Whether this processor runs code that was compiled for :data:`LEVEL`."""
    return all(llvm.get_host_cpu_features().get(feature) for feature in _FEATURES)


def is_shipped() -> bool:
    """Whether compiled functions came with the package, for this version of Python and a processor like this one."""
    return _archive(os.getpid()) is not None


@functools.lru_cache(maxsize=1)
def _archive(process: int) -> zipfile.ZipFile | None:
    """This process's open archive; ``None`` where there is none that this processor runs.

    Args:
        process: The process, because one that was forked must not share the place up to which a file has been read.
    """
    if not (ARCHIVE.exists() and is_runnable()):
        return None
    try:
        return zipfile.ZipFile(ARCHIVE)
    except (OSError, zipfile.BadZipFile):  # a convenience: it costs time and nothing else
        return None


def pack(root: Path = _PACKAGE, package: str = "procgen_bench", archive: Path = ARCHIVE) -> int:
    """Write the archive of what is compiled for :data:`LEVEL` beside a package's source files.

    Args:
        root: The package's folder.
        package: Its name.
        archive: The archive, which is replaced.

    Returns:
        The number of entries.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    written = archive.with_suffix(".part")
    count = 0
    with zipfile.ZipFile(written, "w", zipfile.ZIP_LZMA) as files:
        for module, index in _indexes(root, package):
            version, stamp, overloads = _read_index(index)
            ours = {key: name for key, name in overloads.items() if key[1][1:] == (LEVEL, "")}
            if not ours or version != NUMBA_VERSION:
                continue
            _add(files, f"{module}/{index.name}", pickle.dumps((version, stamp, ours)))
            for name in ours.values():
                _add(files, f"{module}/{name}", (index.parent / name).read_bytes())
            count += len(ours)
    written.replace(archive)
    return count


def _indexes(root: Path, package: str) -> Iterator[tuple[str, Path]]:
    """Packages' names with the indexes of their compiled functions, in order."""
    for folder, subfolders, names in os.walk(root, followlinks=True):
        subfolders.sort()
        own = Path(folder)
        if own.name == "__pycache__":
            module = ".".join([package, *own.parent.relative_to(root).parts])
            yield from ((module, own / name) for name in sorted(names) if _is_current(name))


def _is_current(name: str) -> bool:
    return name.endswith(f".py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}.nbi")


def _read_index(path: Path) -> tuple[str, str, dict]:
    with path.open("rb") as file:
        version = pickle.load(file)
        stamp, overloads = pickle.load(file) if version == NUMBA_VERSION else ("", {})
    return version, stamp, overloads


def _add(files: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file without the time at which it was packed."""
    files.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    print(f"{pack()} compiled functions, {ARCHIVE.stat().st_size / 1e6:.1f} MB: {ARCHIVE}")

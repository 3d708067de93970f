"""Writing a file, or a folder, whole or not at all."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from procgen_bench.core.errors import UnwritablePathError
from procgen_bench.core.paths import check_file

#: What a system answers whose disk is full, whose user has no room left, or whose disk fails.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def naming_path(path: Path) -> Iterator[None]:
    """Have the disk's errors name what is being written: a write that fails does not say of itself which file it is.

    Raises:
        UnwritablePathError: The disk is full, or fails.
    """
    try:
        yield
    except UnwritablePathError:
        raise
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise UnwritablePathError(f"{path} cannot be written: {error.strerror}") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``: a temporary sibling, flushed to the disk, then renamed over it.

    Raises:
        UnwritablePathError: ``path`` is a folder, or lies in none, or the disk is full.
    """
    with _replaced_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """As :func:`write_bytes`, UTF-8."""
    write_bytes(path, content.encode())


def write_weights(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays by name, of numbers of any shape, to a file of safetensors', as :func:`write_bytes`.

    Raises:
        UnwritablePathError: They cannot be written: the disk is full, say. (The library's own error is no OSError.)
    """
    from safetensors import SafetensorError  # a part of extras
    from safetensors.numpy import save_file

    with _replaced_file(path) as temporary:
        try:
            save_file(dict(arrays), temporary)
        except SafetensorError as error:
            raise UnwritablePathError(f"{path} cannot be written: {error}") from error


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill, which takes the place of ``folder`` when all went well; else ``folder`` stays as it was.

    A process that is killed between the two renames leaves the old one as :func:`retired_folder`.

    Raises:
        UnwritablePathError: The disk is full.
    """
    building, retired = folder.with_name(f".{folder.name}.building"), retired_folder(folder)
    shutil.rmtree(building, ignore_errors=True)
    try:
        with naming_path(folder):
            building.mkdir(parents=True)
            yield building
            shutil.rmtree(retired, ignore_errors=True)
            if folder.exists():
                os.rename(folder, retired)
            try:
                os.rename(building, folder)
            except OSError:
                if retired.exists():
                    os.rename(retired, folder)
                raise
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)  # room for others
        raise
    shutil.rmtree(retired, ignore_errors=True)


def retired_folder(folder: Path) -> Path:
    """Where the old one is while :func:`replaced_folder` puts a new one in its place."""
    return folder.with_name(f".{folder.name}.retired")


@contextmanager
def _replaced_file(path: Path) -> Iterator[Path]:
    """An empty file beside ``path`` to write, which is flushed to the disk and then renamed over it."""
    check_file(path)
    with naming_path(path):
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(descriptor)
        try:
            yield Path(name)
            with open(name, "rb") as file:
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise

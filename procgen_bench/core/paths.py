"""Whether files and folders can be written where requested; checked before the work, with one line."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from procgen_bench.core.errors import InvalidOptionError, UnwritablePathError


def check_folder(path: Path) -> None:
    """Raise :class:`UnwritablePathError` unless ``path`` is a folder that can be written, or one can be made there."""
    _check_writable(nearest_folder(path))


def check_named_or_folder(name: str, value: str | None, known: Sequence[str] = ()) -> None:
    """Raise :class:`InvalidOptionError` where a value is neither known nor a folder; ``None``: it was not given."""
    if value is not None and value not in known and not os.path.isdir(value):
        raise InvalidOptionError(f"{name} is {value!r}, expected {', '.join([*known, 'a folder that exists'])}")


def nearest_folder(path: Path) -> Path:
    """``path`` if it is a folder, else the one in which it can be made, whether or not that can be written.

    Raises:
        UnwritablePathError: A file is in the way.
    """
    for place in (path, *path.parents):
        if os.path.isdir(place):
            return place
        if os.path.lexists(place):
            raise UnwritablePathError(f"{place} is a file, expected a folder: choose another, or move the file away")
    raise UnwritablePathError(f"{path} lies in no folder that exists; choose another")


def check_file(path: Path) -> None:
    """Raise :class:`UnwritablePathError` unless a file can be written as ``path``."""
    if os.path.isdir(path):
        raise UnwritablePathError(f"{path} is a folder, expected a file's name: choose one, {path / 'NAME'} say")
    if not os.path.isdir(path.parent):
        raise UnwritablePathError(f"{path.parent}, where {path.name} is to be written, is no folder; create it first")
    _check_writable(path.parent)


def _check_writable(folder: Path) -> None:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        reason = f"{folder.absolute()} cannot be written ({error.strerror})"
        raise UnwritablePathError(f"{reason}; choose another folder") from None

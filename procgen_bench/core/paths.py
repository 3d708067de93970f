"""Whether files and folders can be made where they are asked for; told before the work, in one line."""

import os
from pathlib import Path

from procgen_bench.core.errors import UnwritablePathError


def check_folder(path: Path) -> None:
    """Raise :class:`UnwritablePathError` unless ``path`` is a folder, or one can be made there."""
    for place in (path, *path.parents):
        if place.is_dir():
            return
        if os.path.lexists(place):
            raise UnwritablePathError(f"{place} is a file, expected a folder: choose another, or move the file away")


def check_file(path: Path) -> None:
    """Raise :class:`UnwritablePathError` unless a file can be written as ``path``."""
    if path.is_dir():
        raise UnwritablePathError(f"{path} is a folder, expected a file's name: choose one, {path / 'NAME'} say")
    if not path.parent.is_dir():
        raise UnwritablePathError(f"{path.parent}, where {path.name} is to be written, is no folder; create it first")

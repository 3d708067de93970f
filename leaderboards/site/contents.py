"""What a site holds, part by part: a site that is written again makes again only the parts that have changed.

A part (a benchmark's page with its figures, an entry's clips) has a key: a hash over all that it is made of, this
package's files included. Where the site that was written before has the part under the same key, its files are linked
into the new one. What both ways give is the same, byte for byte.
"""

import hashlib
import importlib.metadata
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.provenance import package_versions

CONTENTS_FILE = ".contents.json"
#: Packages besides those of :func:`package_versions` that decide what a site looks like.
_DRAWING_PACKAGES = ("jinja2", "matplotlib", "pillow")
#: Folders of the package that decide nothing of it: compiled files, and the published board.
_LEFT_OUT = {"__pycache__", "results"}


class ForeignVersionError(ProcgenBenchError):
    """Pages that are to be kept were written by another version of this package."""


class _Part(BaseModel):
    """A part: its key, SHA-256 of its files by path, and what is known of it besides."""

    key: str
    files: dict[str, str]
    info: Any


class _Contents(BaseModel):
    """The file's content: the version that wrote the site, and the parts by name."""

    tool: str
    parts: dict[str, _Part]


class Parts:
    """The parts of a site that is being written.

    Args:
        folder: Where it is written.
        previous: The site that was written before, if there is any.
    """

    def __init__(self, folder: Path, previous: Path):
        self._folder, self._previous = folder, previous
        self._before = _read(previous)
        self._parts: dict[str, _Part] = {}

    def check_keeps(self) -> None:
        """Raise :class:`ForeignVersionError` if the site before holds pages of another version than this one."""
        if (self._previous / CONTENTS_FILE).exists() and self._before.tool != tool_digest():
            raise ForeignVersionError(
                f"{self._previous} holds a site that another version wrote; write all of it first, without --only"
            )

    def taken_over(self, name: str, key: str) -> Any | None:
        """What is known of a part, if the site before has it under this key and as it was written; its files are here
        then, too."""
        part = self._before.parts.get(name)
        return part.info if part is not None and part.key == key and self._link(name, part) else None

    def keep(self, name: str) -> Any | None:
        """As :meth:`taken_over` of a part whatever its key, and of all parts below it."""
        names = [name, *(other for other in self._before.parts if other.startswith(f"{name}/"))]
        if name not in self._before.parts or not all(self._link(one, self._before.parts[one]) for one in names):
            return None
        return self._before.parts[name].info

    def add(self, name: str, key: str, files: Iterable[Path], info: Any) -> None:
        """Note a part that was made; ``info`` is plain JSON."""
        digests = {path.relative_to(self._folder).as_posix(): _digest(path.read_bytes()) for path in files}
        self._parts[name] = _Part(key=key, files=digests, info=info)

    def write(self) -> None:
        """Write down what the site holds."""
        contents = _Contents(tool=tool_digest(), parts=dict(sorted(self._parts.items())))
        (self._folder / CONTENTS_FILE).write_text(contents.model_dump_json() + "\n", "utf-8")

    def _link(self, name: str, part: _Part) -> bool:
        """Bring a part's files here; False, and none of them, if one is not as it was written."""
        if not all(_is_as_written(self._previous, path, digest) for path, digest in part.files.items()):
            return False
        for path in part.files:
            target = self._folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(self._previous / path, target)
            except OSError:  # a file system without hard links
                shutil.copyfile(self._previous / path, target)
        self._parts[name] = part
        return True


def part_key(*made_of: Any, places: tuple[str, ...] = ("",)) -> str:
    """The key of a part that is made of these (plain JSON) by the package's files in ``places``, by default all."""
    return _digest(json.dumps([tool_digest(places), *made_of], sort_keys=True).encode())


@cache
def tool_digest(places: tuple[str, ...] = ("",)) -> str:
    """A hash over files and folders of the package, and over the versions of the packages that it draws with."""
    versions = package_versions() | {name: importlib.metadata.version(name) for name in _DRAWING_PACKAGES}
    digest = hashlib.sha256(json.dumps(versions, sort_keys=True).encode())
    package = Path(__file__).parents[2]
    for path in (file for place in places for file in _files(package / place)):
        digest.update(f"{path.relative_to(package)}|{_digest(path.read_bytes())}|".encode())
    return digest.hexdigest()


def _files(place: Path) -> Iterator[Path]:
    """A file itself, or all files of a folder of the package."""
    if place.is_file():
        yield place
    for folder, names, files in os.walk(place, followlinks=True):
        names[:] = sorted(set(names) - _LEFT_OUT)
        yield from (Path(folder) / name for name in sorted(files))


def _read(site: Path) -> _Contents:
    """What a site holds; nothing where there is none, or an older one."""
    try:
        return _Contents.model_validate_json((site / CONTENTS_FILE).read_bytes())
    except (OSError, ValidationError):
        return _Contents(tool="", parts={})


def _is_as_written(site: Path, path: str, digest: str) -> bool:
    """Whether ``path`` leads to a file of the site with this SHA-256, and through no link."""
    file = site / path
    return file.resolve() == site.resolve() / path and file.is_file() and _digest(file.read_bytes()) == digest


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

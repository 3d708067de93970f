"""Replacing a generated folder as a whole: it is built beside its place and then renamed into it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from procgen_bench.core.atomic import replaced_folder
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.paths import check_folder

#: A file that tells our sites from folders that must not be overwritten.
MARKER_FILE = ".procgen-bench-site"
_MARK = "Written by procgen-bench, which replaces this folder as a whole.\n"


class ForeignFolderError(ProcgenBenchError):
    """A site is to be written where something else already is."""


@contextmanager
def replaced_site(out: Path) -> Iterator[Path]:
    """A new, empty folder to fill, which takes the place of ``out`` when all went well; else ``out`` stays as it was.

    Args:
        out: A site written before, an empty folder, or nothing yet.

    Raises:
        ForeignFolderError: ``out`` is a file, or a folder that holds something else.
        UnwritablePathError: Its folder cannot be written.
    """
    out = out.resolve()
    _check_replaceable(out)
    check_folder(out.parent)
    with replaced_folder(out) as building:
        (building / MARKER_FILE).write_text(_MARK, "utf-8")
        yield building
        _check_replaceable(out)


def _check_replaceable(out: Path) -> None:
    if not out.exists() or (out.is_dir() and ((out / MARKER_FILE).is_file() or not any(out.iterdir()))):
        return
    found = "a folder of other files" if out.is_dir() else "a file"
    raise ForeignFolderError(f"{out} is {found}, expected a new or empty folder, or a site written before")

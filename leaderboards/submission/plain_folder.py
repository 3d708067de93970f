"""Folders of a few plain files: read without trusting them, written so that a kill leaves all or nothing."""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from procgen_bench.core.atomic import naming_path
from procgen_bench.leaderboards.errors import InvalidSubmissionError

#: Prefix of folders that are still being written; a killed write leaves one behind.
UNFINISHED_PREFIX = ".incoming-"


class PlainFolder(AbstractContextManager):
    """A folder from outside that must hold the files ``names``, each a regular file and no link, and no others.

    The folder is opened once and its files through it, so that nothing can be swapped between the checks and the
    reading. Hard links are read like any file: their content is copied, so a later change of it changes nothing.

    Args:
        path: The folder.
        names: Names of the files that must be there.
        extra: Names of files that may be there, too; ``None``: of none. Those that are there are ``extra_names``.

    Raises:
        InvalidSubmissionError: Not a folder, or it holds other or fewer files, links, or things that are no files.
    """

    def __init__(self, path: Path, names: Sequence[str], extra: re.Pattern | None = None):
        self.extra_names: set[str] = set()
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidSubmissionError("folder", "path", str(path), f"a readable folder ({reason})") from None
        try:
            self._check_names(names, extra)
        except InvalidSubmissionError:
            os.close(self._descriptor)
            raise

    def read(self, name: str, limit: int) -> bytes:
        """The content of file ``name``, refused unread when it is larger than ``limit`` bytes."""
        return read_plain_file(name, limit, self._descriptor)

    def size(self, name: str, limit: int) -> int:
        """Bytes of file ``name``, which is refused when they are more than ``limit``."""
        found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_size
        _check_size(name, found, limit)
        return found

    def __exit__(self, *exception) -> None:
        os.close(self._descriptor)

    def _check_names(self, names: Sequence[str], extra: re.Pattern | None) -> None:
        found = set()
        with os.scandir(self._descriptor) as entries:
            for entry in entries:
                if entry.name not in names and extra is not None and extra.fullmatch(entry.name):
                    self.extra_names.add(entry.name)
                elif entry.name not in names:
                    raise InvalidSubmissionError("folder", "content", entry.name, f"only {' and '.join(names)}")
                if not entry.is_file(follow_symlinks=False):
                    kind = "a link" if entry.is_symlink() else "no regular file"
                    raise InvalidSubmissionError(entry.name, "file", kind, "a regular file")
                found.add(entry.name)
        for name in names:
            if name not in found:
                raise InvalidSubmissionError("folder", "content", f"{name} (missing)", " and ".join(names))


def check_extra_files(files: PlainFolder, pattern: re.Pattern, announced: Sequence[str], none: str) -> None:
    """Refuse a folder whose extra files of one kind are not those that were announced.

    Args:
        files: The folder.
        pattern: Names of the kind's files.
        announced: Names of those that must be there.
        none: What is expected where none are, in words.

    Raises:
        InvalidSubmissionError: One is missing, or there is another.
    """
    found = {name for name in files.extra_names if pattern.fullmatch(name)}
    for name in sorted(found ^ set(announced)):
        shown = name if name in found else f"{name} (missing)"
        raise InvalidSubmissionError("folder", "content", shown, " and ".join(announced) or none)


def read_plain_file(path: str | Path, limit: int, folder: int | None = None) -> bytes:
    """The content of a regular file, refused unread when it is larger than ``limit`` bytes.

    Args:
        path: The file.
        limit: Bytes that it may have.
        folder: Descriptor of the folder that a relative path starts from; ``None``: the working directory.

    Raises:
        InvalidSubmissionError: It is not there, is a link or no file, or is too large.
    """
    name = Path(path).name
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # without waiting for the other end of a pipe
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except OSError as error:
        raise InvalidSubmissionError(name, "file", error.strerror, "a readable regular file, not a link") from None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidSubmissionError(name, "file", stat.filemode(status.st_mode), "a regular file")
        _check_size(name, status.st_size, limit)
        content = file.read(limit + 1)
    _check_size(name, len(content), limit)  # it may have grown while it was read
    return content


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise InvalidSubmissionError(name, "size in bytes", size, f"at most {limit}")


def write_plain_folder(
    folder: Path, files: Mapping[str, bytes], staging: Path, check: Callable[[Path], object] | None = None
) -> None:
    """Write ``files`` to the new folder ``folder``; whenever the process dies, the folder is whole or absent.

    Args:
        folder: Where to write the files; must not exist (an empty folder is replaced).
        files: Content by name.
        staging: An existing folder on the same file system, in which the files are gathered before they are moved.
        check: Reads the gathered files as they will be read, and raises an error if that cannot be done.

    Raises:
        OSError: The folder exists, or the files cannot be written.
    """
    with naming_path(folder):
        _write_plain_folder(folder, files, staging, check)


def _write_plain_folder(
    folder: Path, files: Mapping[str, bytes], staging: Path, check: Callable[[Path], object] | None
) -> None:
    gathered = Path(tempfile.mkdtemp(prefix=UNFINISHED_PREFIX, dir=staging))
    try:
        for name, content in files.items():
            with (gathered / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        gathered.chmod(0o755)  # mkdtemp's folders are private
        _sync_folder(gathered)
        if check is not None:
            check(gathered)
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.rename(gathered, folder)
    except BaseException:
        shutil.rmtree(gathered, ignore_errors=True)
        raise
    _sync_folder(folder.parent)


def remove_unfinished(staging: Path) -> None:
    """Remove what killed calls of :func:`write_plain_folder` left in ``staging``; no other may be running."""
    for leftover in staging.glob(f"{UNFINISHED_PREFIX}*"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()  # not one of ours; it would stop every submit


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Folders of a few plain files: read without trusting them, written so that a kill leaves all or nothing."""

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from procgen_bench.leaderboards.errors import InvalidSubmissionError

#: Prefix of folders that are still being written; a killed write leaves one behind.
UNFINISHED_PREFIX = ".incoming-"


class PlainFolder(AbstractContextManager):
    """A folder from outside that must hold exactly the files ``names``, each a regular file and no link.

    The folder is opened once and its files through it, so that nothing can be swapped between the checks and the
    reading. Hard links are read like any file: their content is copied, so a later change of it changes nothing.

    Raises:
        InvalidSubmissionError: Not a folder, or it holds other or fewer files, links, or things that are no files.
    """

    def __init__(self, path: Path, names: Sequence[str]):
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidSubmissionError("folder", "path", str(path), f"a readable folder ({reason})") from None
        try:
            self._check_names(names)
        except InvalidSubmissionError:
            os.close(self._descriptor)
            raise

    def read(self, name: str, limit: int) -> bytes:
        """The content of file ``name``, refused unread when it is larger than ``limit`` bytes."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # without waiting for the other end of a pipe
        try:
            descriptor = os.open(name, flags, dir_fd=self._descriptor)
        except OSError as error:
            raise InvalidSubmissionError(name, "file", error.strerror, "a readable regular file, not a link") from None
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidSubmissionError(name, "file", stat.filemode(status.st_mode), "a regular file")
            content = file.read(limit + 1)
        if len(content) > limit:
            raise InvalidSubmissionError(name, "size in bytes", status.st_size, f"at most {limit}")
        return content

    def __exit__(self, *exception) -> None:
        os.close(self._descriptor)

    def _check_names(self, names: Sequence[str]) -> None:
        found = set()
        with os.scandir(self._descriptor) as entries:
            for entry in entries:
                if entry.name not in names:
                    raise InvalidSubmissionError("folder", "content", entry.name, f"only {' and '.join(names)}")
                if not entry.is_file(follow_symlinks=False):
                    kind = "a link" if entry.is_symlink() else "no regular file"
                    raise InvalidSubmissionError(entry.name, "file", kind, "a regular file")
                found.add(entry.name)
        for name in names:
            if name not in found:
                raise InvalidSubmissionError("folder", "content", f"{name} (missing)", " and ".join(names))


def write_plain_folder(folder: Path, files: Mapping[str, bytes], staging: Path) -> None:
    """Write ``files`` to the new folder ``folder``; whenever the process dies, the folder is whole or absent.

    Args:
        folder: Where the files shall be; must not exist (an empty folder is replaced).
        files: Content by name.
        staging: An existing folder on the same file system, in which the files are gathered before they are moved.

    Raises:
        OSError: The folder exists, or the files cannot be written.
    """
    gathered = Path(tempfile.mkdtemp(prefix=UNFINISHED_PREFIX, dir=staging))
    try:
        for name, content in files.items():
            with (gathered / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        gathered.chmod(0o755)  # mkdtemp's folders are private
        _sync_folder(gathered)
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.rename(gathered, folder)
    except BaseException:
        shutil.rmtree(gathered, ignore_errors=True)
        raise
    _sync_folder(folder.parent)


def remove_unfinished(staging: Path) -> None:
    """Remove what killed calls of :func:`write_plain_folder` left in ``staging``; no other may be running."""
    for leftover in staging.glob(f"{UNFINISHED_PREFIX}*"):
        shutil.rmtree(leftover)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Writing a file whole or not at all."""

import os
import tempfile
from pathlib import Path

from procgen_bench.core.paths import check_file


def write_bytes(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``: a temporary sibling, flushed to the disk, then renamed over it.

    Raises:
        UnwritablePathError: ``path`` is a folder, or lies in none.
    """
    check_file(path)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_text(path: Path, content: str) -> None:
    """As :func:`write_bytes`, UTF-8."""
    write_bytes(path, content.encode())

"""Writing a file whole or not at all."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from procgen_bench.core.errors import UnwritablePathError
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


def write_weights(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays by name to a file of safetensors', in the one place that does so.

    Raises:
        UnwritablePathError: They cannot be written: the disk is full, say. (The library's own error is no OSError.)
    """
    from safetensors import SafetensorError  # a part of extras
    from safetensors.numpy import save_file

    try:
        save_file(dict(arrays), path)
    except SafetensorError as error:
        raise UnwritablePathError(f"{path} cannot be written: {error}") from error

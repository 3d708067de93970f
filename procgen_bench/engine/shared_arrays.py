"""Arrays that several processes see: one anonymous block of memory, which each maps for itself.

The block has no name (nothing stands in /dev/shm) and is no part of a container's share of /dev/shm, often 64 MB: it is
gone with the last process that maps it, however that ends.
"""

import mmap
import os
import tempfile
from collections.abc import Mapping

import numpy as np

#: By name: shape and dtype.
Layout = Mapping[str, tuple[tuple[int, ...], np.dtype]]
#: Arrays begin at multiples of this, so that no two of them are on one line of a processor's cache.
_ALIGNMENT = 64


def new_memory(layout: Layout) -> int:
    """A descriptor of a new block, all zeros, that holds ``layout``; the caller closes it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("procgen_bench")
    else:  # not Linux: a file that is deleted already
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, _size(layout))
    return descriptor


def mapped_arrays(layout: Layout, descriptor: int) -> dict[str, np.ndarray]:
    """The arrays of a block by name, of ``layout``'s shapes and dtypes. They stay valid when the descriptor is closed,
    for as long as one is in use."""
    memory = mmap.mmap(descriptor, _size(layout))
    arrays, offset = {}, 0
    for name, (shape, dtype) in layout.items():
        arrays[name] = np.ndarray(shape, dtype, memory, offset)
        offset += _room(shape, dtype)
    return arrays


def _size(layout: Layout) -> int:
    return sum(_room(shape, dtype) for shape, dtype in layout.values())


def _room(shape: tuple[int, ...], dtype: np.dtype) -> int:
    count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return -(-max(count, 1) // _ALIGNMENT) * _ALIGNMENT

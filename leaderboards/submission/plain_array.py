"""A NumPy file from outside: unpacked only when its header says exactly what is expected."""

import io
import warnings

import numpy as np
from numpy.lib import format as npy

from procgen_bench.leaderboards.errors import InvalidSubmissionError

#: Greatest size of a file's header.
MAX_HEADER_BYTES = 512


def parse_array(raw: bytes, dtype: np.dtype, shape: tuple[int, ...], file: str, array: str = "array") -> np.ndarray:
    """The array that a ``.npy`` file's content is.

    Args:
        raw: The content, of a bounded size.
        dtype: The only dtype that is accepted; no objects.
        shape: The only shape that is accepted.
        file: Name of the file in errors.
        array: Name of the array in errors.

    Raises:
        InvalidSubmissionError: It is another array, or none.
    """
    content = io.BytesIO(raw)
    try:
        if npy.read_magic(content) != (1, 0):
            raise ValueError("not version 1.0")
        with warnings.catch_warnings(action="error"):  # of Python 2's headers, and of bad escapes in texts
            found_shape, _, found_dtype = npy.read_array_header_1_0(content, max_header_size=MAX_HEADER_BYTES)
    except Exception as error:  # a header is a text of Python, whose parsing raises nearly anything
        raise InvalidSubmissionError(file, f"{array}'s header", str(error), "a NumPy header") from None
    if found_dtype != dtype:
        raise InvalidSubmissionError(file, f"{array}'s dtype", str(found_dtype), str(dtype))
    if found_shape != shape:
        raise InvalidSubmissionError(file, f"{array}'s shape", found_shape, str(shape))
    content_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if len(raw) - content.tell() != content_bytes:
        raise InvalidSubmissionError(file, f"{array}'s content in bytes", len(raw) - content.tell(), str(content_bytes))
    content.seek(0)
    return npy.read_array(content, allow_pickle=False)

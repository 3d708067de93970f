"""Arrays by their addresses: how compiled code reaches many arrays whose number is known only while a program runs.

Python hands a compiled function every array one by one, for a fraction of a microsecond each, under the interpreter's
lock. A record of addresses is one array, whatever lies there.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from procgen_bench.core.compiled import njit

#: Where an array lies, and its lengths (1 beyond its last).
PLACE = np.dtype([("address", np.intp), ("lengths", np.intp, 4)])


def record_type(names: tuple[str, ...]) -> np.dtype:
    """The type of a record of the places of arrays of these names."""
    return np.dtype([(name, PLACE) for name in names])


def write_places(record: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Write into ``record``, by name, where arrays lie and their shapes; they have to outlive every use of the record.
    Their dtypes are those that the record's reader expects: nothing checks them.

    Raises:
        ValueError: An array is not contiguous, or has more than four axes.
    """
    for name, array in arrays.items():
        if not array.flags.c_contiguous or array.ndim > 4:
            raise ValueError(f"{name} has strides {array.strides} for shape {array.shape}, expected a contiguous array")
        place = record[name]
        place["address"], place["lengths"] = array.ctypes.data, 1
        place["lengths"][: array.ndim] = array.shape


@intrinsic
def _pointer(context, address):
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.intp), generate


@njit
def vector_at(address, length, dtype):
    """The vector of a type that lies at an address."""
    return carray(_pointer(address), (length,), dtype)


@njit
def vector(place, dtype):
    """The array of one axis at a place."""
    return carray(_pointer(place.address), (place.lengths[0],), dtype)


@njit
def matrix(place, dtype):
    """The array of two axes at a place."""
    return carray(_pointer(place.address), (place.lengths[0], place.lengths[1]), dtype)


@njit
def block(place, dtype):
    """The array of three axes at a place."""
    return carray(_pointer(place.address), (place.lengths[0], place.lengths[1], place.lengths[2]), dtype)


@njit
def block4(place, dtype):
    """The array of four axes at a place."""
    lengths = place.lengths
    return carray(_pointer(place.address), (lengths[0], lengths[1], lengths[2], lengths[3]), dtype)

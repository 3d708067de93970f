"""Checks of arguments and of tasks' fields that many environments and families make."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError


def check_choice(name: str, value: object, known: Iterable) -> None:
    """Raise :class:`InvalidOptionError` unless ``value``, given for the option ``name``, is one of the ``known``.

    A truth value is none of the numbers 0 and 1, and they are no truth values.
    """
    known = list(known)
    if not any(_is_same(value, one) for one in known):
        raise InvalidOptionError(f"{name} is {value!r}, expected one of {known}")


def check_count(name: str, value: object) -> None:
    """Raise :class:`InvalidOptionError` unless ``value``, given for ``name``, is an integer of at least 1."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InvalidOptionError(f"{name} is {value!r}, expected an integer of at least 1")


def check_defaults(options: Any, names: Iterable[str], expected: str) -> None:
    """Raise :class:`InvalidOptionError` if a field of a dataclass is set, of those names that others leave no effect.

    Args:
        options: The dataclass.
        names: Names of fields with defaults.
        expected: Beside what they have an effect, e.g. ``"slots beside it"``.
    """
    for one in dataclasses.fields(options):
        if one.name in names and (value := getattr(options, one.name)) != one.default:
            raise InvalidOptionError(f"{one.name} is {value!r}, expected {expected}")


def check_array(name: str, array: np.ndarray, dtype: type | np.dtype, shape: tuple[int | None, ...]) -> None:
    """Raise :class:`InvalidTaskError` unless ``array``, called ``name``, is an array of this ``dtype`` and ``shape``
    (``None`` for any length)."""
    if isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype:
        return  # as most are: tasks are checked whenever a row begins one
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        found = str(getattr(array, "dtype", type(array).__name__))
        raise InvalidTaskError(f"{name}'s type", found, f"an array of {np.dtype(dtype)}")
    if len(array.shape) != len(shape) or any(want not in (None, side) for want, side in zip(shape, array.shape)):
        raise InvalidTaskError(f"{name}'s shape", array.shape, str(shape).replace("None", "any"))


def check_contiguous(name: str, array: np.ndarray, dtype: type | np.dtype, shape: tuple[int, ...]) -> None:
    """Raise :class:`InvalidTaskError` unless ``array`` is a C-contiguous array of this ``dtype`` and ``shape``."""
    check_array(name, array, dtype, shape)
    if not array.flags.c_contiguous:
        raise InvalidTaskError(f"{name}'s strides", array.strides, "a contiguous array")


def _is_same(value: object, one: object) -> bool:
    return isinstance(value, type(one)) and isinstance(value, bool) == isinstance(one, bool) and value == one

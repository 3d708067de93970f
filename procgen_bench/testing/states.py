"""What holds for whatever is kept in a checkpoint: its form, and what is refused."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays

#: What a learner or a teacher continues from: ``state()``.
State = tuple[Arrays, dict[str, Any]]

#: Kinds of NumPy's types that a checkpoint's file holds: truths, integers and reals.
_KINDS = "biuf"
#: Names that a complaint lists.
_LISTED = 6


class ConformanceError(AssertionError):
    """A learner or a teacher does not keep its contract."""


def copied(state: State) -> State:
    """A state as a checkpoint gives it back."""
    arrays, values = state
    return {name: array.copy() for name, array in arrays.items()}, json.loads(json.dumps(values))


def listed(names: Iterable[str]) -> str:
    """Names in one line, of many the first."""
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def differing_arrays(one: Arrays, other: Arrays) -> list[str]:
    """Names of the arrays (of any shape and dtype) that are in one alone, or not the same bit for bit."""
    return [name for name in sorted({*one, *other}) if not _equal(one.get(name), other.get(name))]


def differing_values(one: Any, other: Any, path: str = "") -> list[str]:
    """Paths of the plain values that differ; what is no number equals itself."""
    if isinstance(one, dict) and isinstance(other, dict):
        every = [
            differing_values(one.get(name), other.get(name), f"{path}.{name}" if path else name)
            for name in {**one, **other}
        ]
        return [difference for differences in every for difference in differences]
    return [] if json.dumps(one) == json.dumps(other) else [path]


def differences(one: State, other: State) -> list[str]:
    """Names of what differs between two states."""
    return differing_arrays(one[0], other[0]) + differing_values(one[1], other[1])


def check_form(who: str, state: State) -> None:
    """Arrays of truths and numbers by name, and plain values that JSON gives back as they are.

    Raises:
        ConformanceError: Something else is among them.
    """
    arrays, values = state
    for name, array in arrays.items():
        if not (isinstance(name, str) and isinstance(array, np.ndarray) and array.dtype.kind in _KINDS):
            kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
            raise ConformanceError(
                f"{who}: state() has the array {name!r}, which is {kind}, expected a NumPy array of truths or numbers"
            )
    if not isinstance(values, dict):
        raise ConformanceError(f"{who}: state() has {type(values).__name__} for values, expected a dict")
    _check_plain(who, values, "")


def check_refusals(who: str, restore: Callable[[Arrays, dict[str, Any]], None], state: State) -> None:
    """``restore(arrays, values)`` refuses a state without one of its values, or without its arrays (any shapes).

    A checkpoint of which single arrays are missing the trainer refuses by itself. The learner or the teacher is of no
    more use afterwards.

    Raises:
        ConformanceError: Such a state is restored.
    """
    arrays, values = copied(state)
    damaged = [(f"without the value {name!r}", (arrays, _without(values, name))) for name in values]
    if arrays:
        damaged.append(("without its arrays", ({}, values)))
    for what, given in damaged:
        try:
            restore(*copied(given))
        except Exception:  # any error will do: the trainer says of which checkpoint it is
            continue
        raise ConformanceError(f"{who}: restore() takes a state {what}, expected an error")


def _without(mapping: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != name}


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return False
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _check_plain(who: str, value: Any, path: str) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            if not isinstance(name, str):
                raise ConformanceError(f"{who}: state() has the key {name!r} in {path or 'its values'}, expected text")
            _check_plain(who, part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            _check_plain(who, part, f"{path}[{place}]")
    elif not (value is None or isinstance(value, bool | int | float | str)):
        raise ConformanceError(
            f"{who}: state() has {path} = {value!r}, a {type(value).__name__}, expected plain JSON: a number, text, "
            "true, false, null, a list or a dict"
        )

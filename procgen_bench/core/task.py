"""Task: the immutable value that, with a seed and a sequence of actions, determines a whole trajectory."""

import hashlib
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TypeVar

import numpy as np


@dataclass(frozen=True, eq=False)
class Task:
    """Base of every family's task: a frozen dataclass of plain values, NumPy arrays and other tasks.

    Arrays are copied and made read-only on construction, so a task can be shared, hashed and used as a key.
    Two tasks are equal when they are of one class and all their fields are equal.
    """

    def __post_init__(self):
        for name in _field_names(type(self)):  # type: ignore[arg-type]  # mypy asks the class for its instances' hash
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                frozen = value.copy()
                frozen.flags.writeable = False
                object.__setattr__(self, name, frozen)

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented; every family's task says so itself."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) over the class name and every field's name, type, shape and content."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        parts = [type(self).__name__.encode()]
        for name in _field_names(type(self)):  # type: ignore[arg-type]  # mypy asks the class for its instances' hash
            value = getattr(self, name)
            parts.append(f"|{name}|".encode())
            if isinstance(value, Task):
                parts.append(value.fingerprint().encode())
            elif isinstance(value, np.ndarray):
                parts += [f"{value.dtype.str}{value.shape}".encode(), value.tobytes()]
            else:
                parts.append(repr(value).encode())
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def short_fingerprint(self) -> int:
        """The first 64 bits of the fingerprint, as a number in [0, 2**64): for lists of very many tasks."""
        return int(self.fingerprint()[:16], 16)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.fingerprint() == other.fingerprint()

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __getstate__(self) -> dict:
        # What was made of the fields, and is kept, is made again where it is needed.
        return {name: getattr(self, name) for name in _field_names(type(self))}  # type: ignore[arg-type]

    def __setstate__(self, state: dict):
        # Unpickled arrays come back writable; freeze them again.
        for name, value in state.items():
            object.__setattr__(self, name, value)
        Task.__post_init__(self)


@cache
def _field_names(kind: type[Task]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


#: The tasks of one family, in what is generic over them.
TaskT = TypeVar("TaskT", bound=Task)

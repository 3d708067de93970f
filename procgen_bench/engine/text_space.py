"""AnyText: a Gymnasium space of texts in any writing, which flattens and goes through shared memory as others do."""

import string
from multiprocessing.sharedctypes import SynchronizedArray
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces.utils import flatten, flatten_space, unflatten
from gymnasium.vector.utils import read_from_shared_memory

#: What stands behind the end of a flattened text: one more than the greatest character of Unicode.
PADDING = 0x110000
_LITTLE_ENDIAN = "<i4"


class AnyText(spaces.Text):
    """Texts of at most ``max_length`` characters of Unicode, among them the empty one, line breaks and any symbols.

    Surrogates are no characters and in no text. Samples are of printable ASCII: ``character_set`` is theirs. Flattened,
    a text is the numbers of its characters, int32 (max_length,), filled up with :data:`PADDING`. Gymnasium's ``Text``
    would list its characters, and look each of them up.

    Args:
        max_length: Characters of the longest text, at least 1.
    """

    def __init__(self, max_length: int):
        super().__init__(max_length, min_length=0, charset=string.printable[:95])

    def contains(self, x: object) -> bool:
        """Whether it is such a text."""
        if not isinstance(x, str) or len(x) > self.max_length:
            return False
        try:
            x.encode()
        except UnicodeEncodeError:  # a surrogate
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.max_length == self.max_length

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.max_length})"


def _flatten(space: AnyText, x: str) -> np.ndarray:
    flat = np.full(space.max_length, PADDING, np.int32)
    flat[: len(x)] = np.frombuffer(x.encode("utf-32-le"), _LITTLE_ENDIAN)
    return flat


def _unflatten(space: AnyText, x: np.ndarray) -> str:
    return np.asarray(x)[x < PADDING].astype(_LITTLE_ENDIAN).tobytes().decode("utf-32-le", "replace")


def _flatten_space(space: AnyText) -> spaces.Box:
    return spaces.Box(0, PADDING, (space.max_length,), np.int32)


def _read(space: AnyText, shared_memory: SynchronizedArray, n: int = 1) -> "SharedTexts":
    memory = np.frombuffer(shared_memory.get_obj(), np.int32)  # type: ignore[call-overload]  # a buffer, as typed nowhere
    return SharedTexts(space, memory.reshape(n, space.max_length))


class SharedTexts(tuple):
    """The texts of N rows in shared memory, read when they are looked at: a tuple whose entries change.

    ``AsyncVectorEnv`` reads its memory once, when it is made: arrays of numbers follow what is written there later, and
    so do these. It returns deep copies, which are plain tuples; with ``copy=False`` it returns this.
    """

    _space: AnyText
    _memory: np.ndarray

    def __new__(cls, space: AnyText, memory: np.ndarray) -> "SharedTexts":
        """``memory``: int32 (N, max_length)."""
        shared = super().__new__(cls, [""] * len(memory))
        shared._space, shared._memory = space, memory
        return shared

    def __iter__(self):
        return (_unflatten(self._space, row) for row in self._memory)

    def __getitem__(self, row):
        return tuple(self)[row]

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __reduce__(self):
        return tuple, (list(self),)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == other

    __hash__ = None  # type: ignore[assignment]  # its entries change

    def __repr__(self) -> str:
        return repr(tuple(self))


flatten.register(AnyText, _flatten)
unflatten.register(AnyText, _unflatten)
flatten_space.register(AnyText, _flatten_space)
read_from_shared_memory.register(AnyText, _read)

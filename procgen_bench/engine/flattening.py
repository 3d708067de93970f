"""Flattener: observations as one vector each, for learners that take nothing but a ``Box``."""

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidOptionError

_MOST_IN_BYTE = 255


class _Part(NamedTuple):
    """Where a part of the observation goes.

    Attributes:
        columns: Its columns of the vector.
        counts: Of categories, how many values each of its numbers can take; ``None``: the numbers go as they are.
        values: Of categories, the value that each column stands for.
    """

    columns: slice
    counts: np.ndarray | None
    values: np.ndarray | None


class Flattener:
    """Makes one float32 vector of an observation, as :func:`gymnasium.spaces.flatten` does, for many rows at once.

    The parts of a ``Dict`` lie one after the other in the order of its keys, numbers in C order, categories one-hot.

    Attributes:
        structured: The space of the observations.
        space: The vector's: a ``Box``, float32 (numbers,).

    Args:
        structured: A ``Box``, ``Discrete``, ``MultiDiscrete`` or ``MultiBinary``, or a flat ``Dict`` of these.

    Raises:
        InvalidOptionError: A part is something else, or a picture, which a vector is no use for.
    """

    def __init__(self, structured: spaces.Space):
        self.structured = structured
        self._parts: dict[str, _Part] = {}
        end = 0
        leaves = structured.spaces if isinstance(structured, spaces.Dict) else {"": structured}
        for name, leaf in leaves.items():
            _check_leaf(name or "the observation", leaf)
            end += spaces.flatdim(leaf)
            self._parts[name] = _part(leaf, slice(end - spaces.flatdim(leaf), end))
        flat = spaces.flatten_space(structured)
        assert isinstance(flat, spaces.Box)  # as all leaves are arrays
        self.space = spaces.Box(flat.low.astype(np.float32), flat.high.astype(np.float32), dtype=np.float32)

    def one(self, observation: Any) -> np.ndarray:
        """One observation's vector: float32 (numbers,), a new array."""
        if isinstance(observation, dict):
            return self.rows({name: np.asarray(part)[None] for name, part in observation.items()})[0]
        return self.rows(np.asarray(observation)[None])[0]

    def rows(self, observations: dict[str, np.ndarray] | np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The vectors of a batch of observations (N, ...): float32 (N, numbers).

        Args:
            observations: Batched arrays, by name where the space is a ``Dict``.
            out: Where the vectors are written; ``None``: into a new array.
        """
        parts = observations if isinstance(observations, dict) else {"": observations}
        count = len(next(iter(parts.values())))
        vectors = np.empty((count, *self.space.shape), np.float32) if out is None else out
        for name, (columns, counts, values) in self._parts.items():
            numbers = parts[name].reshape(count, -1)
            vectors[:, columns] = numbers if counts is None else np.repeat(numbers, counts, axis=1) == values
        return vectors


def _part(leaf: spaces.Space, columns: slice) -> _Part:
    match leaf:
        case spaces.Discrete():
            return _Part(columns, np.array([leaf.n]), leaf.start + np.arange(leaf.n))
        case spaces.MultiDiscrete():
            starts, counts = np.broadcast_to(leaf.start, leaf.shape).ravel(), leaf.nvec.ravel()
            return _Part(columns, counts, np.concatenate([start + np.arange(n) for start, n in zip(starts, counts)]))
    return _Part(columns, None, None)


def _check_leaf(name: str, leaf: spaces.Space) -> None:
    if not isinstance(leaf, spaces.Box | spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary):
        raise InvalidOptionError(f"flat is True, but {name} is no array but of {type(leaf).__name__}, expected arrays")
    if isinstance(leaf, spaces.Box) and _is_picture(leaf):
        raise InvalidOptionError(
            f"flat is True, but {name} is a picture {leaf.shape}, expected other arrays; leave flat out, and learn "
            "with a convolutional network (stable-baselines3's MultiInputPolicy, say)"
        )


def _is_picture(leaf: spaces.Box) -> bool:
    in_bytes = leaf.dtype == np.uint8 and len(leaf.shape) == 3
    return in_bytes and bool((leaf.low == 0).all() and (leaf.high == _MOST_IN_BYTE).all())

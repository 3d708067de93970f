"""Points of a task space's flat box, read as parameters: whatever the point, they lie in the space."""

from collections.abc import Iterator

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_space import Parameters


def parameters_of(space: spaces.Dict, vectors: np.ndarray) -> Iterator[Parameters]:
    """The parameters at points (n, d) of the flat box, or near it.

    Numbers are clipped to their bounds, and rounded where they are whole; of a choice's entries the greatest decides.
    """
    columns, at = {}, 0
    for name, leaf in space.items():
        width = spaces.flatdim(leaf)
        columns[name] = _values(leaf, vectors[:, at : at + width])
        at += width
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _values(leaf: spaces.Space, entries: np.ndarray) -> np.ndarray:
    """(n, ...) of a leaf's flat entries (n, width)."""
    match leaf:
        case spaces.Discrete():
            return entries.argmax(axis=1).astype(leaf.dtype) + leaf.start
        case spaces.MultiDiscrete():
            choices = np.split(entries, leaf.nvec.ravel().cumsum()[:-1], axis=1)
            chosen = np.stack([choice.argmax(axis=1) for choice in choices], axis=1).astype(leaf.dtype)
            return chosen.reshape(-1, *leaf.shape) + leaf.start
        case spaces.Box():
            numbers = entries.reshape(-1, *leaf.shape).clip(leaf.low, leaf.high)
            return (numbers.round() if np.issubdtype(leaf.dtype, np.integer) else numbers).astype(leaf.dtype)
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")

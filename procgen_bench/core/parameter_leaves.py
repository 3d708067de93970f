"""A parameter of a task space, which is a Box, a MultiDiscrete or a Discrete space: drawn from it, and held to it."""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError


def sample_leaf(leaf: spaces.Space, rng: np.random.Generator) -> np.ndarray:
    """A value drawn uniformly from ``leaf``, of its shape and dtype.

    Raises:
        TypeError: ``leaf`` is no Box, MultiDiscrete or Discrete space.
    """
    match leaf:
        case spaces.Box() if np.issubdtype(leaf.dtype, np.floating):
            return rng.uniform(leaf.low, leaf.high).astype(leaf.dtype)
        case spaces.Box():
            return rng.integers(leaf.low, leaf.high, endpoint=True, dtype=leaf.dtype)
        case spaces.MultiDiscrete():
            return rng.integers(leaf.start, leaf.start + leaf.nvec, dtype=leaf.dtype)
        case spaces.Discrete():
            return leaf.dtype.type(rng.integers(leaf.start, leaf.start + leaf.n))
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")


def checked_leaf(name: str, value: object, leaf: spaces.Space) -> np.ndarray:
    """``value`` as an array of ``leaf``'s shape and dtype.

    Raises:
        InvalidTaskError: It is no number or array of numbers, of another shape, or some of it outside ``leaf``.
        TypeError: ``leaf`` is no Box, MultiDiscrete or Discrete space.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise InvalidTaskError(name, value, f"an array of shape {leaf.shape}") from None
    if array.dtype.kind not in "fiu":
        raise InvalidTaskError(f"{name}'s dtype", str(array.dtype), f"numbers ({leaf.dtype})")
    if array.shape != leaf.shape:
        raise InvalidTaskError(f"{name}'s shape", array.shape, str(leaf.shape))
    if not np.issubdtype(leaf.dtype, np.floating) and array.dtype.kind == "f":
        raise InvalidTaskError(f"{name}'s dtype", str(array.dtype), f"integers ({leaf.dtype})")
    low, high = _bounds(leaf)
    outside = ~((array >= low) & (array <= high))  # also true for NaN
    if outside.any():
        index = tuple(int(i) for i in np.argwhere(outside)[0])
        place = f"[{', '.join(map(str, index))}]" if index else ""
        span = f"a number in [{np.broadcast_to(low, array.shape)[index]}, {np.broadcast_to(high, array.shape)[index]}]"
        raise InvalidTaskError(f"{name}{place}", array[index].item(), span)
    return array.astype(leaf.dtype)


def _bounds(leaf: spaces.Space) -> tuple[np.ndarray, np.ndarray]:
    match leaf:
        case spaces.Box():
            return leaf.low, leaf.high
        case spaces.MultiDiscrete():
            return leaf.start, leaf.start + leaf.nvec - 1
        case spaces.Discrete():
            return leaf.start, leaf.start + leaf.n - 1
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")

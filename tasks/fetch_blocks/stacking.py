"""Where blocks stand that are put down one after the other: beside each other, or one on another."""

import numpy as np

from procgen_bench.tasks.fetch_blocks.table import apart


def settle(place: np.ndarray, places: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, int]:
    """Where a block stands that is put down at ``place``, among others.

    Args:
        place: float64 (2,), x and y.
        places: float64 (K, 2), the blocks that stand already, apart or in stacks.
        levels: Their levels (K,).

    Returns:
        ``place`` and level 0 where there is room, else the place and the level on top of the nearest stack.
    """
    if apart(place, places).all():
        return place, 0
    nearest = places[np.square(places - place).sum(axis=1).argmin()]
    in_stack = (places == nearest).all(axis=1)
    return nearest, int(levels[in_stack].max()) + 1


def stack(places: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put blocks down one after the other.

    Args:
        places: float64 (N, 2), where each is put.
        order: Indices of those that are put down, the first one first; the others stay as they are, on level 0.

    Returns:
        float64 (N, 2) and int8 (N,): where each stands, and on which level.
    """
    settled, levels = places.copy(), np.zeros(len(places), np.int8)
    for count, block in enumerate(order.tolist()):
        standing = order[:count]
        settled[block], levels[block] = settle(places[block], settled[standing], levels[standing])
    return settled, levels

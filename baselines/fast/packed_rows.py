"""Minibatches of rows without the episodes that nothing is learned from, for networks with memory.

Every episode resets the memory, so episodes of different rows may follow each other in one row. Where a teacher has
levels played without a gradient, as robust PLR and ACCEL do, fewer rows of as many steps then hold all that counts.
"""

from itertools import pairwise

import numpy as np


def packed_places(rows: np.ndarray, starts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The samples of some rows that a gradient is found of, as steps of fewer rows where that can be.

    Args:
        rows: int64 (k,), of N.
        starts: bool (T, N), where episodes begin.
        weights: float32 (T * N,), 0 where a sample does not count.

    Returns:
        Places of samples among T * N, int64 (T * R,), R <= k: the first step of R rows, the second, and so on. Where a
        row is longer than its episodes, samples that do not count fill it up.
    """
    steps, count = starts.shape
    in_order = np.arange(steps)[:, np.newaxis] * count
    counts = weights.reshape(steps, count) > 0
    begun: list[np.ndarray] = []
    others: list[np.ndarray] = []
    for row in rows.tolist():
        cuts = [0, *(np.flatnonzero(starts[1:, row]) + 1).tolist(), steps]
        for first, end in pairwise(cuts):
            if counts[first:end, row].any():
                own = begun if first == 0 and not starts[0, row] else others
                own.append(in_order[first:end, 0] + row)
    packed, free = [[own] for own in begun], [steps - len(own) for own in begun]
    for episode in sorted(others, key=len, reverse=True):
        place = next((number for number, room in enumerate(free) if room >= len(episode)), len(packed))
        if place == len(packed):
            packed.append([])
            free.append(steps)
        packed[place].append(episode)
        free[place] -= len(episode)
    if len(packed) >= len(rows):
        return (in_order + rows).ravel()
    idle = np.flatnonzero(weights == 0)[:1]
    columns = [np.concatenate([*own, np.repeat(idle, room)]) for own, room in zip(packed, free)]
    return np.stack(columns, axis=1).ravel()

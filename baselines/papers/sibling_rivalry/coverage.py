"""Grid coverage: how many regions of a plane were visited (the Grid Oracle of Savinov et al., 2019)."""

import numpy as np


def regions_visited(
    places: np.ndarray, counted: np.ndarray, low: np.ndarray, high: np.ndarray, divisions: int
) -> np.ndarray:
    """Distinct regions of a grid that N sequences of places lie in.

    Args:
        places: (T, N, 2), x and y; those beyond the plane's sides count for the region beside them.
        counted: bool (T, N), the places that count.
        low: (2,), least x and y of the plane.
        high: (2,), greatest x and y.
        divisions: Regions along each side; there are ``divisions**2``.

    Returns:
        int64 (N,), from 0 to ``divisions**2``.
    """
    steps, rows = np.nonzero(counted)
    shares = (places[steps, rows].astype(np.float64) - low) / (np.asarray(high, np.float64) - low)
    x, y = np.clip(np.floor(shares * divisions), 0, divisions - 1).astype(np.int64).T
    visited = np.zeros((counted.shape[1], divisions**2), np.bool_)
    visited[rows, y * divisions + x] = True
    return visited.sum(axis=1)

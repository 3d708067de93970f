"""The track's motion as its specification says it: many short steps, each put back where a wall was in the way.

It shares nothing with the package's rules, which solve the sliding exactly.
"""

import numpy as np

INNER, OUTER, END = 0.85, 1.15, np.pi / 10


def moved(places: np.ndarray, actions: np.ndarray, short_steps: int) -> np.ndarray:
    """Where agents (N, 2) arrive that move by ``actions`` (N, 2); the error is about 1 / ``short_steps``."""
    for _ in range(short_steps):
        places = put_back(places + actions / short_steps)
    return places


def put_back(places: np.ndarray) -> np.ndarray:
    """The points of the track that are nearest to ``places`` (N, 2), which are close to it."""
    x, y = places.T
    radii, angles = np.hypot(x, y), np.arctan2(y, x)
    in_gap = abs(angles) < END
    along = x * np.cos(END) + abs(y) * np.sin(END)
    radii = np.clip(np.where(in_gap, along, radii), INNER, OUTER)
    angles = np.where(in_gap, np.where(y >= 0, END, -END), angles)
    return radii[:, np.newaxis] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def polar(radius, degrees) -> np.ndarray:
    """x and y of points: (..., 2)."""
    return np.stack([radius * np.cos(np.radians(degrees)), radius * np.sin(np.radians(degrees))], axis=-1)

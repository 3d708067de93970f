"""The symmetries of a square: one mark for an array and its rotations and reflections."""

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np


def images_of_square(array: np.ndarray) -> Iterator[np.ndarray]:
    """The eight arrays that rotations and reflections make of one (side, side, ...), itself first."""
    for reflected in (array, array.swapaxes(0, 1)):
        for turns in range(4):
            yield np.rot90(reflected, turns)


def mark_of_least(images: Iterable[np.ndarray]) -> frozenset[str]:
    """One mark for all arrays of which each is an image of the others: a hash of the one whose bytes come first."""
    return frozenset((hashlib.sha256(min(image.tobytes() for image in images)).hexdigest(),))

"""What enters a compiled network: the features that parts without anything learned make of observations."""

import numpy as np
import torch

from procgen_bench.baselines.parts.observation_parts import Categories, Part, ScaledReals
from procgen_bench.core.compiled import njit


class FeatureWriter:
    """Writes what a part makes of values; categories, which it makes zeros and ones of, as their numbers from 0.

    Args:
        part: Nothing is learned in it.

    Attributes:
        width: Numbers of every row.
        categories: How many categories there are of which each number is one, or -1; 0: they are the part's features.
    """

    def __init__(self, part: Part):
        self._part = part
        self.width, self.categories = part.features, 0
        if isinstance(part, Categories) and part.scaled is None:
            self.categories = len(part.values)
            self.width = part.features // self.categories
        self._least, self._count = (part.least, len(part.values)) if isinstance(part, Categories) else (0, 0)
        scaled = part.scaled if isinstance(part, Categories) else part
        self._known = isinstance(part, Categories | ScaledReals)
        self._centre = self._reach = np.zeros(0, np.float32)
        if isinstance(scaled, ScaledReals):
            self._centre, self._reach = scaled.centre.numpy(), scaled.reach.numpy()

    def write(self, values: np.ndarray, target: np.ndarray) -> None:
        """Turn values (n, *shape) into float32 (n, width)."""
        if not self._known:
            target[:] = self._part(torch.as_tensor(values)).numpy()
            return
        flat = values.reshape(len(values), -1).astype(np.float32, copy=False)
        if self.categories:
            _write_categories(flat, self._least, self._count, target)
        else:
            _write(flat, self._least, self._count, self._centre, self._reach, target)


class ChannelWriter:
    """Writes the categories of a picture's cells as the channels that they make one, see :meth:`.LayerTable.looked_up`.

    Args:
        depth: Entries of each cell, whose channels follow each other.
        least: The first category of every entry.
        count: How many there are.
        cells: Cells of the picture.

    Attributes:
        width: Numbers of every row.
        categories: 0: the table turns none of the numbers into zeros and ones.
    """

    def __init__(self, depth: int, least: int, count: int, cells: int):
        self.width, self.categories = cells * depth, 0
        self._own = depth, least, count

    def write(self, values: np.ndarray, target: np.ndarray) -> None:
        """Turn values (n, *shape) into float32 (n, width); -1: no category."""
        flat = values.reshape(len(values), -1).astype(np.float32, copy=False)
        _write_channels(flat, *self._own, target)


@njit
def _category(value, least, count):
    """Which category a value is, from 0; -1: none."""
    category = int(value) - least
    return category if category == value - least and 0 <= category < count else -1


@njit
def _write_categories(values, least, count, target):
    for row in range(len(values)):
        for entry in range(values.shape[1]):
            target[row, entry] = _category(values[row, entry], least, count)


@njit
def _write_channels(values, depth, least, count, target):
    for row in range(len(values)):
        for entry in range(values.shape[1]):
            category = _category(values[row, entry], least, count)
            target[row, entry] = entry % depth * count + category if category >= 0 else -1


@njit(error_model="numpy")
def _write(values, least, count, centre, reach, target):
    target[:] = 0
    first_scaled = values.shape[1] * count
    for row in range(len(values)):
        for entry in range(values.shape[1] if count else 0):
            category = _category(values[row, entry], least, count)
            if category >= 0:
                target[row, entry * count + category] = 1
        for entry in range(len(centre)):
            target[row, first_scaled + entry] = (values[row, entry] - centre[entry]) / reach[entry]

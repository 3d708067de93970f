"""ParameterPoints: parameters of tasks as points of a cube, which a network can generate."""

import numpy as np
from gymnasium import spaces
from scipy.special import expit, softmax

from procgen_bench.core.task_space import TaskSpace


class ParameterPoints:
    """Points of [0, 1]^d, leaf by leaf as a task space's flat box holds its parameters.

    Numbers are scaled to their bounds; of every choice there is a number for each category, the greatest of which
    decides. Where a network says what is chosen, these are probabilities.

    Args:
        space: Whose parameters.
        sharpness: Factor of the logits of choices before the softmax. Where a choice is nearly certain, a gradient
            hardly reaches its logits, and a factor above 1 makes choices certain early: with 6 a generator stops
            moving while a third of a grid's tiles are still wrong, unless a penalty leads it back.
    """

    def __init__(self, space: TaskSpace, sharpness: float = 1.0):
        self._sharpness = sharpness
        self.widths = {name: spaces.flatdim(leaf) for name, leaf in space.space.items()}
        #: Columns of choices with as many categories each: (first, choices, categories).
        self._choices: list[tuple[int, int, int]] = []
        column = 0
        for name, leaf in space.space.items():
            first = column
            for count, size in _choices(leaf, name in space.choices):
                self._choices.append((first, count, size))
                first += count * size
            column += self.widths[name]
        self.size = column

    def from_logits(self, logits: np.ndarray) -> np.ndarray:
        """Points (n, d) of a network's logits: numbers by the logistic function, choices by softmax."""
        points = expit(logits)
        for columns, shape in self._groups(len(logits)):
            chances = softmax(self._sharpness * logits[:, columns].reshape(shape), axis=2)
            points[:, columns] = chances.reshape(len(logits), -1)
        return points

    def logit_gradients(self, gradients: np.ndarray, points: np.ndarray) -> np.ndarray:
        """How a loss grows with the logits, from how it grows with their points (n, d)."""
        grown = gradients * points * (1 - points)
        for columns, shape in self._groups(len(gradients)):
            own, chances = gradients[:, columns].reshape(shape), points[:, columns].reshape(shape)
            above = own - (chances * own).sum(axis=2, keepdims=True)
            grown[:, columns] = (self._sharpness * chances * above).reshape(len(gradients), -1)
        return grown

    def unevenness(self, points: np.ndarray) -> np.ndarray:
        """How KL(even || points), summed over all choices and numbers, grows with the logits of points (n, d).

        A number is even at the middle of its range, a choice where all categories are equally likely. Unlike the
        entropy's, this gradient is largest where a choice is certain.
        """
        grown = points - 0.5
        for columns, (_, _, size) in self._groups(len(points)):
            grown[:, columns] = self._sharpness * (points[:, columns] - 1 / size)
        return grown

    def tried(self, points: np.ndarray, spread: float, rng: np.random.Generator) -> np.ndarray:
        """Points (n, d) of tasks: choices drawn by their probabilities, numbers with noise of ``spread``."""
        made = (points + spread * rng.standard_normal(points.shape, np.float32)).clip(0, 1)
        for columns, shape in self._groups(len(points)):
            shares = points[:, columns].reshape(shape).cumsum(axis=2)
            drawn = rng.random((*shape[:2], 1), np.float32) * shares[:, :, -1:]
            chosen = (drawn > shares).sum(axis=2)
            made[:, columns] = np.eye(shape[2], dtype=np.float32)[chosen].reshape(len(points), -1)
        return made

    def by_leaf(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Points (n, d) -> by name (n, width)."""
        parts = np.split(points, np.cumsum(list(self.widths.values()))[:-1], axis=1)
        return dict(zip(self.widths, parts))

    def _groups(self, count: int) -> list[tuple[slice, tuple[int, int, int]]]:
        return [(slice(first, first + number * size), (count, number, size)) for first, number, size in self._choices]


def _choices(leaf: spaces.Space, is_choice: bool) -> list[tuple[int, int]]:
    """Runs of choices: how many, and of how many categories each; none of what is a number."""
    match leaf:
        case spaces.Discrete():
            return [(1, int(leaf.n))]
        case spaces.MultiDiscrete():
            return [(1, size) for size in leaf.nvec.ravel().tolist()]
        case spaces.Box() if is_choice:
            return [(int(np.prod(leaf.shape[:-1])), leaf.shape[-1])]
        case _:
            return []

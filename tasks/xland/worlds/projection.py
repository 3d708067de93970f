"""A linear map of worlds onto the plane in which a property can be seen (A.1.3), such as the entropy of their paths.

For worlds with vectors v and properties f, weights P, a centre c and a bias b minimise the mean of
``(|P v - c| - |f - b|)^2``: in the plane, the distance from the centre is the property's distance from the bias. As
rotations and reflections leave the properties as they are, weights are alike for all tiles that these carry onto each
other: of the 81 for a world of 9 x 9 tiles, 15 are left to learn.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS, TileKind

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.world import World

#: Dimensions of the plane.
PLANE = 2
#: Least length by which a gradient is divided.
_TINY = 1e-12


@dataclass(frozen=True)
class Projection:
    """A linear map of worlds of one shape onto the plane.

    Attributes:
        weights: float64 (2, H, W), unchanged by the rotations and reflections that keep the shape.
        centre: float64 (2,).
        bias: The property of a world that lies at the centre, in the property's unit.
        loss: Mean squared error, at least 0, on the worlds that it was fitted to.
    """

    weights: np.ndarray
    centre: np.ndarray
    bias: float
    loss: float

    def project(self, worlds: "list[World]") -> np.ndarray:
        """Where the worlds lie on the plane: float64 (N, 2)."""
        return world_vectors(worlds) @ self.weights.reshape(PLANE, -1).T


def world_vectors(worlds: "list[World]") -> np.ndarray:
    """Heights of the tiles' middles as fractions of the top level: float64 (N, H W), in the order of rows.

    A flat tile counts as its level, a ramp or a diagonal as half a level more.

    Raises:
        InvalidTaskError: The worlds have different shapes.
    """
    for world in worlds:
        if world.shape != worlds[0].shape:
            raise InvalidTaskError("shape of a world", world.shape, f"that of the first, {worlds[0].shape}")
    heights = [world.levels + 0.5 * (world.kinds != TileKind.FLAT) for world in worlds]
    return np.array(heights).reshape(len(worlds), -1) / (NUM_LEVELS - 1)


def symmetry_classes(rows: int, columns: int) -> np.ndarray:
    """Number the classes of tiles that rotations and reflections carry onto each other: int64 (rows, columns).

    There are 8 of these for a square, and 4 for other shapes.
    """
    tiles = np.arange(rows * columns).reshape(rows, columns)
    images = [tiles, tiles[::-1], tiles[:, ::-1], tiles[::-1, ::-1]]
    if rows == columns:
        images += [image.T for image in images]
    least = np.min(images, axis=0)
    return np.unique(least, return_inverse=True)[1].reshape(rows, columns)


def fit_projection(
    worlds: "list[World]",
    properties: np.ndarray,
    rng: np.random.Generator,
    learning_rate: float = 0.1,
    iterations: int = 30_000,
) -> Projection:
    """The projection that shows a property of worlds best, by gradient descent from small random weights.

    Args:
        worlds: At least one, all of one shape.
        properties: float64 (N,), the property of each.
        rng: Draws the first weights.
        learning_rate: Factor of the gradient.
        iterations: Steps of gradient descent.

    Raises:
        InvalidTaskError: The numbers of worlds and properties differ or are 0, or the worlds have different shapes.
    """
    if len(worlds) == 0 or np.shape(properties) != (len(worlds),):
        raise InvalidTaskError("properties' shape", np.shape(properties), f"({len(worlds)},), one for each world")
    classes = symmetry_classes(*worlds[0].shape)
    sizes = np.bincount(classes.ravel())
    # A weight is the mean over its class, so a world counts by the mean height of each class.
    vectors = world_vectors(worlds) @ (np.eye(len(sizes)) / sizes)[classes.ravel()]
    properties = np.asarray(properties, np.float64)
    weights = rng.uniform(-1.0, 1.0, (PLANE, len(sizes)))
    centre, bias = np.zeros(PLANE), float(properties.mean())
    for _ in range(iterations):
        weight_gradient, centre_gradient, bias_gradient, _ = loss_gradient(weights, centre, bias, vectors, properties)
        weights = weights - learning_rate * weight_gradient
        centre = centre - learning_rate * centre_gradient
        bias = bias - learning_rate * bias_gradient
    loss = loss_gradient(weights, centre, bias, vectors, properties)[-1]
    return Projection((weights / sizes)[:, classes], centre, bias, loss)


def loss_gradient(
    weights: np.ndarray, centre: np.ndarray, bias: float, vectors: np.ndarray, properties: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Gradients by the weights, float64 (2, D), the centre, float64 (2,), and the bias, and the loss, at least 0.

    Args:
        weights: float64 (2, D).
        centre: float64 (2,).
        bias: In the unit of ``properties``.
        vectors: float64 (N, D), of :func:`world_vectors`.
        properties: float64 (N,).
    """
    offsets = vectors @ weights.T - centre
    distances = np.linalg.norm(offsets, axis=1)
    errors = distances - np.abs(properties - bias)
    by_offset = 2 * errors[:, None] * offsets / np.maximum(distances, _TINY)[:, None] / len(vectors)
    bias_gradient = float(np.mean(2 * errors * np.sign(properties - bias)))
    return by_offset.T @ vectors, -by_offset.sum(axis=0), bias_gradient, float(np.mean(errors**2))

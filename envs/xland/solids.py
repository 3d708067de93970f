"""The bodies of XLand's objects: corners and faces, and how a body is turned and put on the floor."""

from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.xland.entities import CUBE, PYRAMID, SLAB


class Solid(NamedTuple):
    """A convex body.

    Attributes:
        corners: float64 (n, 3), in edges of the object's size, with the body standing on z = 0 around the z-axis.
        faces: Places of corners, anticlockwise seen from outside.
    """

    corners: np.ndarray
    faces: tuple[tuple[int, ...], ...]


def _box(width: float, depth: float, height: float) -> Solid:
    x, y = width / 2, depth / 2
    corners = [(a, b, c) for c in (0.0, height) for a, b in ((-x, -y), (x, -y), (x, y), (-x, y))]
    sides = tuple((k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4))
    return Solid(np.array(corners), (*sides, (4, 5, 6, 7), (3, 2, 1, 0)))


def _pyramid() -> Solid:
    corners = [(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0), (0.0, 0.0, 1.0)]
    return Solid(np.array(corners), ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (3, 2, 1, 0)))


#: Bodies with flat faces, by shape; spheres are drawn as discs.
SOLIDS = {CUBE: _box(1.0, 1.0, 1.0), PYRAMID: _pyramid(), SLAB: _box(1.0, 0.5, 0.125)}


def placed_corners(solid: Solid, size: float, yaw: float, foot: np.ndarray) -> np.ndarray:
    """Corners, float64 (n, 3), metres, of a body of ``size`` (metres) turned by ``yaw`` (radians), standing on the
    point ``foot``, float64 (3,), metres."""
    cosine, sine = np.cos(yaw), np.sin(yaw)
    turned = solid.corners @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return foot + size * turned

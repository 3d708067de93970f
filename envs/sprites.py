"""Square sprites painted from shapes with smooth edges: what the tiles of the grid environments are made of."""

import numpy as np

#: Pixels of a tile's side.
TILE_SIDE = 32

#: Shapes are drawn on this many points per pixel and side, and averaged: smooth edges without a drawing library.
_POINTS = 8
#: Coordinates of the points, in pixels.
Y, X = (np.mgrid[: TILE_SIDE * _POINTS, : TILE_SIDE * _POINTS] + 0.5) / _POINTS

Colour = tuple[int, int, int]


def plain(colour: Colour) -> np.ndarray:
    """A sprite (float64 (32, 32, 3)) of one colour."""
    return np.full((TILE_SIDE, TILE_SIDE, 3), colour, np.float64)


def paint(sprite: np.ndarray, shape: np.ndarray, colour: Colour) -> np.ndarray:
    """``sprite`` (float64 (32, 32, 3), 0 to 255) with the points of ``shape`` (bool (256, 256)) covered by
    ``colour``."""
    coverage = shape.reshape(TILE_SIDE, _POINTS, TILE_SIDE, _POINTS).mean(axis=(1, 3))[..., np.newaxis]
    return sprite + coverage * (np.array(colour) - sprite)


def rectangle(left: float, top: float, right: float, bottom: float, radius: float = 0) -> np.ndarray:
    """Points of a rectangle whose corners are rounded by ``radius``: bool (256, 256). All numbers are pixels, 0 to
    32."""
    outside_x = np.maximum(left + radius - X, X - right + radius).clip(min=0)
    outside_y = np.maximum(top + radius - Y, Y - bottom + radius).clip(min=0)
    return np.hypot(outside_x, outside_y) <= radius


def disc(centre_x: float, centre_y: float, radius: float) -> np.ndarray:
    """Points of a disc: bool (256, 256). All numbers are pixels, 0 to 32."""
    return np.hypot(X - centre_x, Y - centre_y) < radius


def pointed(ahead_x: int, ahead_y: int) -> np.ndarray:
    """Points of a triangle whose tip points along this step, as Minigrid draws agents: bool (256, 256)."""
    along, across = (X - 16) * ahead_x + (Y - 16) * ahead_y, (X - 16) * ahead_y - (Y - 16) * ahead_x
    return (along > -12) & (abs(across) < (12 - along) * 10 / 24)


def assembled(sprites: np.ndarray) -> np.ndarray:
    """One picture of tiles, in their dtype: (rows, columns, 32, 32, 3) -> (32 rows, 32 columns, 3)."""
    rows, columns = sprites.shape[:2]
    return sprites.swapaxes(1, 2).reshape(rows * TILE_SIDE, columns * TILE_SIDE, 3)

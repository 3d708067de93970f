"""Things as placement sees them: the room that they take on the floor, and their latents."""

import numpy as np

from procgen_bench.tasks.xland.entities import PLAYER_RADIUS

#: Numbers that decide, with a placement network, where a thing is put (A.1.1).
LATENT_SIZE = 8

#: Radius of the circle around an object's footprint, whatever its yaw, as a multiple of its size, by shape: half the
#: diagonal of a cube's square, of a pyramid's, and of a slab's rectangle; half the diameter of a sphere.
RADIUS_BY_SHAPE = np.array([0.5 * 2**0.5, 0.5, 0.5 * 2**0.5, 0.25 * 5**0.5])


def object_radii(shapes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Radii of objects' footprints in metres (float64 (K,)), for shapes int8 (K,) and sizes float64 (K,)."""
    return RADIUS_BY_SHAPE[shapes] * sizes


def player_radii(count: int) -> np.ndarray:
    """Radii of ``count`` players' footprints in metres: float64 (count,)."""
    return np.full(count, PLAYER_RADIUS)

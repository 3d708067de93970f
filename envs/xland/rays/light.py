"""Light: how bright a surface is that faces a certain way, and the colours of the sky."""

import colorsys
import math

import numpy as np

from procgen_bench.core.compiled import njit

#: Light from everywhere, a little more of it from above.
_AMBIENT, _AMBIENT_FROM_ABOVE = 0.58, 0.06
#: Light from the sun of strength 1 on a surface that faces it.
_SUN = 0.46
#: Lambert's cosine begins this far behind a right angle, so that faces turned away from the sun differ, too.
_WRAP = 0.6
#: How much of the sun's hue its light has.
_TINT = 0.15

#: The sky at the horizon and straight above.
HORIZON_COLOUR, ZENITH_COLOUR = (214, 230, 244), (112, 164, 226)
#: Below the horizon, where the world has ended: the backdrop of views from outside.
DEPTHS_COLOUR = (232, 236, 240)


def sun(light: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the sun stands and what it gives.

    Args:
        light: float64 (4,), see :class:`~procgen_bench.tasks.xland.worlds.world.World`.

    Returns:
        The direction towards it, float64 (3,), and its brightness in red, green and blue, float64 (3,).
    """
    azimuth, elevation, strength, hue = light.tolist()
    direction = (
        math.cos(elevation) * math.cos(azimuth),
        math.cos(elevation) * math.sin(azimuth),
        math.sin(elevation),
    )
    pure = np.array(colorsys.hsv_to_rgb(hue % 1.0, 1.0, 1.0))
    return np.array(direction), _SUN * strength * (1.0 - _TINT + _TINT * pure)


@njit(forceinline=True, error_model="numpy")
def ambient(upwards):
    """Brightness of a surface in the shade, from the vertical part of its normal."""
    return _AMBIENT + _AMBIENT_FROM_ABOVE * upwards


@njit(forceinline=True, error_model="numpy")
def exposure(cosine):
    """The share of the sun's light that a surface takes, from the cosine between its normal and the sun."""
    return max(0.0, (cosine + _WRAP) / (1.0 + _WRAP))


def brightness(normals: np.ndarray, towards_sun: np.ndarray, sun_colour: np.ndarray) -> np.ndarray:
    """Brightness in red, green and blue (float64 (n, 3)) of surfaces with these unit normals (float64 (n, 3)), under a
    sun as :func:`sun` gives it: ``towards_sun`` and ``sun_colour``, float64 (3,)."""
    shares = np.maximum(0.0, (normals @ towards_sun + _WRAP) / (1.0 + _WRAP))
    return _AMBIENT + _AMBIENT_FROM_ABOVE * normals[:, 2:] + shares[:, np.newaxis] * sun_colour

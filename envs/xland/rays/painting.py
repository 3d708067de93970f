"""The colours of points of bodies."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.colours import OBJECT_COLOURS
from procgen_bench.envs.xland.rays.light import ambient, exposure
from procgen_bench.tasks.xland.entities import COLOURS, PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.camera import EYE_HEIGHT

#: A player's visor: between these heights above its centre (metres), to the front of this cosine.
VISOR_BOTTOM, VISOR_TOP = EYE_HEIGHT - PLAYER_HEIGHT / 2 - 0.16, EYE_HEIGHT - PLAYER_HEIGHT / 2 + 0.06
VISOR_COSINE = 0.35
VISOR_COLOUR = (26, 30, 38)

#: float64 (3, 3), by places in ``COLOURS``.
_OBJECT_COLOURS = np.array([OBJECT_COLOURS[colour] for colour in COLOURS], np.float64)


@njit(inline="always")
def paint(pixel, red, green, blue):
    """Write a colour, each part 0 or more and cut off at 255."""
    pixel[0] = np.uint8(min(red + 0.5, 255.0))
    pixel[1] = np.uint8(min(green + 0.5, 255.0))
    pixel[2] = np.uint8(min(blue + 0.5, 255.0))


@njit(inline="always")
def paint_body(pixel, red, green, blue, sun_colour, cosine, upwards):
    """A point of a body, from the cosine between its normal and the sun and the vertical part of the normal."""
    base, share = ambient(upwards), exposure(cosine)
    paint(
        pixel,
        red * (base + share * sun_colour[0]),
        green * (base + share * sun_colour[1]),
        blue * (base + share * sun_colour[2]),
    )


@njit(forceinline=True, error_model="numpy")
def is_visor(shape, z, nx, ny):
    """Whether a point of a body at the height ``z`` above its centre, with this normal, is a player's visor."""
    if shape != CAPSULE or z < VISOR_BOTTOM or z > VISOR_TOP:
        return False
    return nx > VISOR_COSINE * math.sqrt(nx * nx + ny * ny)


@njit(inline="always")
def body_colour(k, scenes, scene, player_colours):
    """Colour of body k, an object or a player, 0 to 255: float64 (3,)."""
    num_objects = scenes.object_shapes.shape[1]
    return _OBJECT_COLOURS[scenes.object_colours[scene, k]] if k < num_objects else player_colours[k - num_objects]


@njit(inline="always")
def tinted(colour, tint):
    """A colour under a tint, uint8 (4,): red, green and blue."""
    share = tint[3] / 255.0
    return (
        colour[0] + share * (tint[0] - colour[0]),
        colour[1] + share * (tint[1] - colour[1]),
        colour[2] + share * (tint[2] - colour[2]),
    )

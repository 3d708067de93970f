"""The colours of points of the ground, of the sky and of bodies."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.colours import OBJECT_COLOURS, WALL_COLOUR
from procgen_bench.envs.xland.rays.light import (
    DEPTHS_COLOUR,
    HORIZON_COLOUR,
    ZENITH_COLOUR,
    ambient,
    exposure,
)
from procgen_bench.envs.xland.rays.scenery import SIDE_TO_SOUTH, SIDE_TO_WEST, WALL
from procgen_bench.tasks.xland.entities import COLOURS, PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.camera import EYE_HEIGHT

#: Half of the width of the lines at tiles' borders and between levels (metres), and how much they darken.
HALF_LINE, LINE_DARKNESS = 0.02, 0.2

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
def paint_sky(pixel, dx, dy, dz):
    """The sky in a direction: lighter towards the horizon, pale below it."""
    share = math.sqrt(abs(dz) / math.sqrt(dx * dx + dy * dy + dz * dz))
    end = ZENITH_COLOUR if dz > 0.0 else DEPTHS_COLOUR
    paint(
        pixel,
        HORIZON_COLOUR[0] + share * (end[0] - HORIZON_COLOUR[0]),
        HORIZON_COLOUR[1] + share * (end[1] - HORIZON_COLOUR[1]),
        HORIZON_COLOUR[2] + share * (end[2] - HORIZON_COLOUR[2]),
    )


@njit(inline="always")
def paint_ground(pixel, colours, shades, per_size, facing, tile, point, spread):
    """A point of the ground or a wall.

    Args:
        pixel: uint8 (3,), written.
        colours, shades: One world's, see :class:`~procgen_bench.envs.xland.rays.scenery.Scenery`.
        per_size: How many tiles to the east, tiles to the north and levels make a metre.
        facing, tile: Which way the surface faces, and the tile it belongs to.
        point: Where it is, metres.
        spread: How far the pixel spreads on the surface along x, y and z, metres.
    """
    # Lines run where x, y or z is a border's, and not on surfaces that lie in them altogether.
    upright = facing >= SIDE_TO_WEST
    across_x = upright and (facing - SIDE_TO_WEST) % WALL < SIDE_TO_SOUTH - SIDE_TO_WEST
    line = 0.0
    if not across_x:
        line = _line(point[0], spread[0], per_size[0])
    if not upright or across_x:
        line = max(line, _line(point[1], spread[1], per_size[1]))
    if upright:
        line = max(line, _line(point[2], spread[2], per_size[2]))
    light = 1.0 - LINE_DARKNESS * line
    if facing >= SIDE_TO_WEST + WALL:
        red, green, blue = WALL_COLOUR[0] * 1.0, WALL_COLOUR[1] * 1.0, WALL_COLOUR[2] * 1.0
    else:
        red, green, blue = colours[tile, 0], colours[tile, 1], colours[tile, 2]
    paint(pixel, light * red * shades[facing, 0], light * green * shades[facing, 1], light * blue * shades[facing, 2])


@njit(forceinline=True, error_model="numpy")
def _line(place, spread, per_length):
    """The share of a pixel that spreads around ``place`` which the line at the nearest border covers.

    ``per_length`` borders between tiles, or levels, come in a metre.
    """
    share = place * per_length
    distance = abs(share - np.floor(share + 0.5)) / per_length
    spread = max(spread, 2.0 * HALF_LINE)
    return max(min(HALF_LINE + 0.5 * spread - distance, 2.0 * HALF_LINE), 0.0) / spread


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

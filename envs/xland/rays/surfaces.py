"""The colours of ground and sky, a row of a picture at a time, in single precision: loops that compilers widen."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.rays.faces import FACE_BITS, LINES_EAST, LINES_NORTH, LINES_UP, SKY
from procgen_bench.envs.xland.rays.light import DEPTHS_COLOUR, HORIZON_COLOUR, ZENITH_COLOUR

#: Half of the width of the lines at tiles' borders and between levels (metres), and how much they darken.
HALF_LINE, LINE_DARKNESS = 0.02, 0.2
#: Rows of numbers that :func:`paint_row` needs: places, tilts, light, sky, and three colours.
LANES = 10

_SINGLE = np.float32
_ZERO, _HALF, _ONE, _WHITE = _SINGLE(0.0), _SINGLE(0.5), _SINGLE(1.0), _SINGLE(255.0)
_HALF_LINE, _LINE, _DARKNESS = _SINGLE(HALF_LINE), _SINGLE(2.0 * HALF_LINE), _SINGLE(LINE_DARKNESS)
_HORIZON = tuple(_SINGLE(part + 0.5) for part in HORIZON_COLOUR)  # so that it is rounded
_TO_ZENITH = tuple(_SINGLE(end - begin) for begin, end in zip(HORIZON_COLOUR, ZENITH_COLOUR))
_TO_DEPTHS = tuple(_SINGLE(end - begin) for begin, end in zip(HORIZON_COLOUR, DEPTHS_COLOUR))


@njit(error_model="numpy")
def paint_row(row, camera, slope, paints, per_size, tilts, shadows, shown, depths, lanes, picture):
    """Paint the ground and the sky that a row shows.

    Args:
        row: Which one.
        camera, slope: See :func:`~procgen_bench.envs.xland.rays.ground.find_ground`.
        paints, per_size: One world's, see :class:`~procgen_bench.envs.xland.rays.scenery.Scenery`.
        tilts, shown: Found there.
        shadows: float32 (n, 9), see :func:`~procgen_bench.envs.xland.rays.marks.place_shadow`.
        depths: float64 (rows, columns).
        lanes: float32 (10, columns), overwritten.
        picture: uint8 (rows, columns, 3), of which the row is written.
    """
    rows, columns = depths.shape
    pixel = _SINGLE(2.0 * slope / rows)
    rise, middle = _SINGLE(0.5 * (rows - 1) - row) * pixel, _SINGLE(0.5 * (columns - 1))
    forward, right, up = camera.forward, camera.right, camera.up
    eye = _SINGLE(camera.eye[0]), _SINGLE(camera.eye[1]), _SINGLE(camera.eye[2])
    right = _SINGLE(right[0]), _SINGLE(right[1]), _SINGLE(right[2])
    up = _SINGLE(up[0]), _SINGLE(up[1]), _SINGLE(up[2])
    line = (
        _SINGLE(forward[0]) + rise * up[0],
        _SINGLE(forward[1]) + rise * up[1],
        _SINGLE(forward[2]) + rise * up[2],
    )
    x, y, z, light, sky = lanes[0], lanes[1], lanes[2], lanes[5], lanes[6]
    _find_places(depths[row], eye, line, right, pixel, middle, x, y, z)
    with_sky = _look_up(shown[row], tilts, paints, lanes[3], lanes[4], lanes[7], lanes[8], lanes[9])
    per_length = per_size[0], per_size[1], per_size[2]
    _draw_lines(shown[row], depths[row], line, right, up, pixel, middle, per_length, x, y, z, lanes[3], lanes[4], light)
    for number in range(shadows.shape[0]):
        if shadows[number, 5] <= row <= shadows[number, 6]:
            _shade(shadows[number], x, y, z, light)
    _write_ground(light, lanes[7], lanes[8], lanes[9], picture[row])
    if with_sky:
        _find_sky(line, right, pixel, middle, sky)
        _write_sky(shown[row], sky, _TO_ZENITH if line[2] > _ZERO else _TO_DEPTHS, picture[row])


# Every loop below writes to few arrays, and its arithmetic looks nothing up by number: so compilers vectorise it.


@njit(error_model="numpy")
def _find_places(times, eye, line, right, pixel, middle, x, y, z):
    """Where the rays meet the ground (metres)."""
    for column in range(len(times)):
        aside, time = (_SINGLE(column) - middle) * pixel, _SINGLE(times[column])
        x[column] = eye[0] + time * (line[0] + aside * right[0])
        y[column] = eye[1] + time * (line[1] + aside * right[1])
        z[column] = eye[2] + time * (line[2] + aside * right[2])


@njit(error_model="numpy")
def _look_up(shown, tilts, paints, by_right, by_up, red, green, blue):
    """The tilts and the colours of the faces that are shown, and whether some pixel shows none."""
    sky = False
    for column in range(len(shown)):
        if shown[column] == SKY:
            sky = True
            by_right[column], by_up[column] = _ZERO, _ZERO
            red[column], green[column], blue[column] = _ZERO, _ZERO, _ZERO
        else:
            face = shown[column] >> FACE_BITS
            by_right[column], by_up[column] = tilts[face, 0], tilts[face, 1]
            red[column], green[column], blue[column] = paints[face, 0], paints[face, 1], paints[face, 2]
    return sky


@njit(error_model="numpy")
def _draw_lines(shown, times, line, right, up, pixel, middle, per_length, x, y, z, by_right, by_up, light):
    """How bright the ground is where lines run over it, 0 to 1."""
    for column in range(len(shown)):
        aside, time = (_SINGLE(column) - middle) * pixel, _SINGLE(times[column])
        dx, dy, dz = line[0] + aside * right[0], line[1] + aside * right[1], line[2] + aside * right[2]
        # A ray that is turned to the right or upwards meets the face this much later.
        later_right, later_up, step = by_right[column] * time, by_up[column] * time, time * pixel
        east = _line(x[column], step * (abs(right[0] - later_right * dx) + abs(up[0] - later_up * dx)), per_length[0])
        north = _line(y[column], step * (abs(right[1] - later_right * dy) + abs(up[1] - later_up * dy)), per_length[1])
        above = _line(z[column], step * (abs(right[2] - later_right * dz) + abs(up[2] - later_up * dz)), per_length[2])
        lines = shown[column]
        share = east if lines & LINES_EAST else _ZERO
        share = max(share, north if lines & LINES_NORTH else _ZERO)
        share = max(share, above if lines & LINES_UP else _ZERO)
        light[column] = _ONE - _DARKNESS * share


@njit(error_model="numpy")
def _find_sky(line, right, pixel, middle, sky):
    """How far the sky's colour is from that at the horizon, 0 to 1."""
    for column in range(len(sky)):
        aside = (_SINGLE(column) - middle) * pixel
        dx, dy, dz = line[0] + aside * right[0], line[1] + aside * right[1], line[2] + aside * right[2]
        sky[column] = _SINGLE(math.sqrt(abs(dz) / _SINGLE(math.sqrt(dx * dx + dy * dy + dz * dz))))


@njit(error_model="numpy")
def _write_ground(light, red, green, blue, pixels):
    """Write a row's pixels."""
    for column in range(len(light)):
        share = light[column]
        pixels[column, 0] = np.uint8(min(share * red[column] + _HALF, _WHITE))
        pixels[column, 1] = np.uint8(min(share * green[column] + _HALF, _WHITE))
        pixels[column, 2] = np.uint8(min(share * blue[column] + _HALF, _WHITE))


@njit(error_model="numpy")
def _write_sky(shown, sky, change, pixels):
    """Write the pixels of a row that show the sky, which changes by so much from the horizon on."""
    for column in range(len(shown)):
        if shown[column] == SKY:
            share = sky[column]
            pixels[column, 0] = np.uint8(_HORIZON[0] + share * change[0])
            pixels[column, 1] = np.uint8(_HORIZON[1] + share * change[1])
            pixels[column, 2] = np.uint8(_HORIZON[2] + share * change[2])


@njit(forceinline=True, error_model="numpy")
def _line(place, spread, per_length):
    """The share of a pixel that spreads around ``place`` which the line at the nearest border covers.

    ``per_length`` borders between tiles, or levels, come in a metre.
    """
    share = place * per_length
    distance = abs(share - _SINGLE(np.floor(share + _HALF))) / per_length
    spread = max(spread, _LINE)
    return max(min(_HALF_LINE + _HALF * spread - distance, _LINE), _ZERO) / spread


@njit(error_model="numpy")
def _shade(shadow, x, y, z, light):
    """Darken what lies in a shadow."""
    centre_x, centre_y, centre_z, per_square, darkness = shadow[0], shadow[1], shadow[2], shadow[3], shadow[4]
    first, last = max(int(shadow[7]), 0), min(int(shadow[8]), len(light) - 1)
    for column in range(first, last + 1):
        ax, ay, az = x[column] - centre_x, y[column] - centre_y, z[column] - centre_z
        share = _ONE - (ax * ax + ay * ay + az * az) * per_square
        light[column] *= _ONE - darkness * (share if share > _ZERO else _ZERO)  # nothing, where there is no place

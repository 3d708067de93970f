"""VoxelBuild's compiled raycaster: what an eye sees of blocks, ground and sky.

A camera has one of four headings and does not roll. In a frame turned by the heading - how far ahead, how far to the
right, how high - a pixel's ray therefore has parts that depend on its line alone (ahead, up) and one that depends on
its column alone (right). The ground's distance is found once per line; the blocks are looked for between the planes
around all of them, and only where a ray passes these.

Every ray is ``eye + length * (ahead, right, up)``, with ``length`` 1 at the plane in which the pixels lie. Cell k of x
or y reaches from k - 1/2 to k + 1/2, and of z from k to k + 1.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.voxel_build.textures import BOTTOM, GRASS_CELLS, MARGIN, TEXELS, TOP, X_SIDE, Y_SIDE
from procgen_bench.tasks.voxel_build.rules import STEPS
from procgen_bench.tasks.voxel_build.task import EMPTY, LAYERS

#: Tangent of half the view's angle from top to bottom (70 degrees, Minecraft's), to seven digits: a rounder number
#: would put rays exactly onto the edges of texels, where the last bit decides.
HALF_VIEW = 0.7002075

#: The sky at the horizon, where far ground fades into it too, and straight above.
HORIZON_COLOUR, ZENITH_COLOUR = (196, 220, 240), (92, 148, 222)
#: Ground fades from the first length to the second.
FADE_BEGIN, FADE_END = 8.0, 32.0

_HEADINGS = len(STEPS)
_GRASS_TEXELS = GRASS_CELLS * TEXELS
_AHEAD, _RIGHT, _UP = range(3)
_FAR = 1e12
_NONE = -1
_FADED = 256


@njit
def draw_view(blocks, eye_x, eye_y, eye_z, heading, rise, run, textures, picture):
    """Write what an eye sees into ``picture`` (uint8 (height, width, 3), of square pixels).

    Args:
        blocks: uint8 (side, side, 3), [y, x, z], contiguous: block types.
        eye_x: The eye's place, above the ground and in no block; so are ``eye_y``, ``eye_z``.
        eye_y: See ``eye_x``.
        eye_z: See ``eye_x``.
        heading: 0 to 3.
        rise: Sine of the pitch.
        run: Cosine of the pitch.
        textures: See :class:`.textures.Textures`.
        picture: Written.
    """
    height, width = picture.shape[0], picture.shape[1]
    floor, grass, block_faces = textures
    right_of = (heading + 1) % _HEADINGS
    axes = ((STEPS[heading, 0], STEPS[heading, 1]), (STEPS[right_of, 0], STEPS[right_of, 1]))
    (ahead_x, ahead_y), (right_x, right_y) = axes
    eye = (eye_x * ahead_x + eye_y * ahead_y, eye_x * right_x + eye_y * right_y, eye_z)
    cells, side = blocks.reshape(-1), blocks.shape[0]
    first, last = _box(blocks, axes)
    slope = 2.0 * HALF_VIEW / height
    for line in range(height):
        above = (0.5 * (height - 1) - line) * slope
        ahead, up = run - above * rise, rise + above * run
        per_ahead, per_up = _inverse(ahead), _inverse(up)
        ground = eye_z * -per_up if up < 0.0 else _FAR
        near_ahead, far_ahead = _passage(first[0] - 0.5 - eye[0], last[0] + 0.5 - eye[0], per_ahead)
        near_up, far_up = _passage(first[2] - eye_z, last[2] + 1.0 - eye_z, per_up)
        near, far = max(near_ahead, near_up, 0.0), min(far_ahead, far_up)
        near_axis = _AHEAD if near_ahead > near_up else _UP
        fade, backdrop = _backdrop(ahead, up, ground)
        for column in range(width):
            right = (column - 0.5 * (width - 1)) * slope
            if near < far:
                per_right = _inverse(right)
                near_right, far_right = _passage(first[1] - 0.5 - eye[1], last[1] + 0.5 - eye[1], per_right)
                if max(near, near_right) < min(far, far_right):
                    length, axis, cell = _first_block(
                        cells,
                        side,
                        eye,
                        (ahead, right, up),
                        (per_ahead, per_right, per_up),
                        (first, last),
                        axes,
                        max(near, near_right),
                        _RIGHT if near_right > near else near_axis,
                    )
                    if axis != _NONE:
                        x = eye_x + length * (ahead * ahead_x + right * right_x)
                        y = eye_y + length * (ahead * ahead_y + right * right_y)
                        z = eye_z + length * up
                        face, texel_1, texel_2 = _texel(axis, x, y, z, cell, ahead_x != 0, up)
                        material = blocks[cell[1], cell[0], cell[2]] - 1
                        for channel in range(3):
                            picture[line, column, channel] = block_faces[material, face, texel_1, texel_2, channel]
                        continue
            if fade == _FADED:
                for channel in range(3):
                    picture[line, column, channel] = backdrop[channel]
                continue
            x = eye_x + ground * (ahead * ahead_x + right * right_x)
            y = eye_y + ground * (ahead * ahead_y + right * right_y)
            on_floor, texel_y, texel_x = _ground_texel(x, y, side)
            for channel in range(3):
                colour = np.int64(floor[texel_y, texel_x, channel] if on_floor else grass[texel_y, texel_x, channel])
                picture[line, column, channel] = colour + ((backdrop[channel] - colour) * fade >> 8)


@njit(inline="always")
def _inverse(number):
    return 1.0 / number if number != 0.0 else _FAR


@njit
def _backdrop(ahead, up, ground):
    """What fills a line behind the blocks: how far the ground fades (of 256), and the colour that it fades into."""
    if ground >= FADE_END:
        share = max(0, int(_FADED * up / np.sqrt(ahead * ahead + up * up)))
        return _FADED, (
            HORIZON_COLOUR[0] + ((ZENITH_COLOUR[0] - HORIZON_COLOUR[0]) * share >> 8),
            HORIZON_COLOUR[1] + ((ZENITH_COLOUR[1] - HORIZON_COLOUR[1]) * share >> 8),
            HORIZON_COLOUR[2] + ((ZENITH_COLOUR[2] - HORIZON_COLOUR[2]) * share >> 8),
        )
    return max(0, int(_FADED * (ground - FADE_BEGIN) / (FADE_END - FADE_BEGIN))), HORIZON_COLOUR


@njit
def _box(blocks, axes):
    """The least box around all blocks: its first and its last cell ahead, right and up; none if last < first."""
    side = blocks.shape[0]
    first_ahead, first_right, first_z = side, side, LAYERS
    last_ahead, last_right, last_z = -side, -side, -1
    for y in range(side):
        for x in range(side):
            for z in range(LAYERS):
                if blocks[y, x, z] != EMPTY:
                    ahead, right = x * axes[0][0] + y * axes[0][1], x * axes[1][0] + y * axes[1][1]
                    first_ahead, last_ahead = min(first_ahead, ahead), max(last_ahead, ahead)
                    first_right, last_right = min(first_right, right), max(last_right, right)
                    first_z, last_z = min(first_z, z), max(last_z, z)
    return (first_ahead, first_right, first_z), (last_ahead, last_right, last_z)


@njit(inline="always")
def _passage(low, high, per_part):
    """The lengths at which a ray enters and leaves the stretch from ``low`` to ``high``; empty if there is none."""
    if low >= high:
        return _FAR, -_FAR
    one, other = low * per_part, high * per_part
    return (one, other) if one < other else (other, one)


@njit(inline="always")
def _first_block(cells, side, eye, direction, per_part, box, axes, length, axis):
    """The first block on a ray that enters ``box`` at ``length`` through a plane across ``axis`` (Amanatides and Woo).

    Returns:
        The length at its face, the axis that the face lies across (-1: there is no block), and its cell's x, y and z.
    """
    (first_ahead, first_right, first_z), (last_ahead, last_right, last_z) = box
    # A point on a plane of the box may be rounded to either side of it, so the first cell is forced into the box.
    ahead = min(max(int(np.floor(eye[0] + length * direction[0] + 0.5)), first_ahead), last_ahead)
    right = min(max(int(np.floor(eye[1] + length * direction[1] + 0.5)), first_right), last_right)
    z = min(max(int(np.floor(eye[2] + length * direction[2])), first_z), last_z)
    step_ahead, step_right = (1 if direction[0] > 0.0 else -1), (1 if direction[1] > 0.0 else -1)
    step_z = 1 if direction[2] > 0.0 else -1
    to_ahead = (ahead + 0.5 * step_ahead - eye[0]) * per_part[0]
    to_right = (right + 0.5 * step_right - eye[1]) * per_part[1]
    to_z = (z + 0.5 + 0.5 * step_z - eye[2]) * per_part[2]
    further_ahead, further_right, further_z = abs(per_part[0]), abs(per_part[1]), abs(per_part[2])
    # Cells by their number in memory, which spares the way from the turned frame to x and y.
    stride_ahead = LAYERS * (axes[0][0] + side * axes[0][1])
    stride_right = LAYERS * (axes[1][0] + side * axes[1][1])
    number = ahead * stride_ahead + right * stride_right + z
    stride_ahead, stride_right = stride_ahead * step_ahead, stride_right * step_right
    while cells[np.uint64(number)] == EMPTY:
        if to_ahead < to_right and to_ahead < to_z:
            length, axis = to_ahead, _AHEAD
            ahead, number = ahead + step_ahead, number + stride_ahead
            to_ahead += further_ahead
            if not first_ahead <= ahead <= last_ahead:
                return length, _NONE, (0, 0, 0)
        elif to_right < to_z:
            length, axis = to_right, _RIGHT
            right, number = right + step_right, number + stride_right
            to_right += further_right
            if not first_right <= right <= last_right:
                return length, _NONE, (0, 0, 0)
        else:
            length, axis = to_z, _UP
            z, number = z + step_z, number + step_z
            to_z += further_z
            if not first_z <= z <= last_z:
                return length, _NONE, (0, 0, 0)
    return length, axis, (number // LAYERS % side, number // (LAYERS * side), z)


@njit(inline="always")
def _texel(axis, x, y, z, cell, ahead_is_x, up):
    """The face of a block that lies across ``axis``, and the texel of it at a point."""
    column_x, column_y = _texel_index(x - cell[0] + 0.5), _texel_index(y - cell[1] + 0.5)
    line_z = TEXELS - 1 - _texel_index(z - cell[2])
    if axis == _UP:
        return (BOTTOM if up > 0.0 else TOP), column_y, column_x
    if (axis == _AHEAD) == ahead_is_x:
        return X_SIDE, line_z, column_y
    return Y_SIDE, line_z, column_x


@njit(inline="always")
def _ground_texel(x, y, side):
    """Whether a point of the ground is on the floor's picture (else on the grass's), and the texel there."""
    x, y = x + 0.5, y + 0.5
    if -MARGIN <= x < side + MARGIN and -MARGIN <= y < side + MARGIN:
        return True, int((y + MARGIN) * TEXELS), int((x + MARGIN) * TEXELS)
    return False, int(np.floor(y * TEXELS)) % _GRASS_TEXELS, int(np.floor(x * TEXELS)) % _GRASS_TEXELS


@njit(inline="always")
def _texel_index(place):
    return min(max(int(place * TEXELS), 0), TEXELS - 1)

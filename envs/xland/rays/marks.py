"""What pictures show besides surfaces: soft shadows on the ground below bodies, and the beams of players' hands."""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS, SLAB
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.camera import covered_pixels
from procgen_bench.tasks.xland.worlds.tiles import floor_height

#: How much the middle of a shadow darkens the ground below a body that lies on it; it fades as the body rises, and is
#: half as dark at this height (metres).
SHADOW_DARKNESS, SHADOW_HEIGHT = 0.45, 1.5
#: Numbers that describe a shadow, see :func:`place_shadow`.
SHADOW_PARTS = 9
#: Radius of a shadow, in the body's breadth.
_SHADOW_REACH = 1.1
#: Where a player's hand is: below its eye, to its right, and ahead (metres).
HAND_BELOW, HAND_ASIDE, HAND_AHEAD = 0.35, 0.22, 0.35
#: A beam's colour, how much of it is seen, and how many rows of a picture make a pixel of its width.
BEAM_COLOUR, BEAM_SHARE, _ROWS_OF_WIDTH = (120, 240, 255), 0.85, 160


@njit(error_model="numpy")
def place_shadow(scenes, scene, body, darkness, camera, slope, shape, shadow):
    """Where the ground is darker round the point straight below a body.

    Args:
        scenes, scene, camera, slope: See :func:`~procgen_bench.envs.xland.rays.pictures.draw_picture`.
        body: BODY.
        darkness: In the middle of the shadow of what lies on the ground, 0 to 1.
        shape: The picture's rows and columns.
        shadow: float32 (9,), written: its middle (metres), one over its radius squared, how dark its middle is, and the
            first and last row and column that may show it: none where there is no shadow.
    """
    shadow[:] = 0.0
    shadow[6] = -1.0
    size, extents = scenes.tile_size[scene], scenes.extents[scene]
    x, y = body.centre[0], body.centre[1]
    east, north = x / size[0], y / size[1]
    if body.shape < 0 or not (0.0 <= east <= extents[1] and 0.0 <= north <= extents[0]):
        return
    floor = floor_height(
        scenes.kinds[scene, : extents[0], : extents[1]], scenes.levels[scene, : extents[0], : extents[1]], east, north
    )
    z = floor * size[2]
    above = body.centre[2] - (PLAYER_HEIGHT / 2 if body.shape == CAPSULE else 0.5 * body.size) - z
    radius = _SHADOW_REACH * _breadth(body)
    ahead, across, rise = _seen_from(camera, x, y, z)
    pixel = 2.0 * slope / shape[0]
    shadow[0], shadow[1], shadow[2] = x, y, z
    shadow[3], shadow[4] = 1.0 / (radius * radius), darkness * SHADOW_HEIGHT / (SHADOW_HEIGHT + max(above, 0.0))
    shadow[5], shadow[6] = covered_pixels(ahead, -rise, radius, shape[0], pixel)
    shadow[7], shadow[8] = covered_pixels(ahead, across, radius, shape[1], pixel)


@njit
def _breadth(body):
    """Radius (metres) of about what a body covers as it stands on the ground."""
    if body.shape == CAPSULE:
        return 1.3 * PLAYER_RADIUS
    return (0.4 if body.shape == SLAB else 0.75) * body.size


@njit(error_model="numpy")
def draw_beam(hand, target, camera, slope, picture, depths):
    """Draw the beam of a player's hand (its CAMERA) to a held object's centre where nothing is nearer, or hides it."""
    rows, columns = picture.shape[0], picture.shape[1]
    pixel, width = 2.0 * slope / rows, max(1, rows // _ROWS_OF_WIDTH)
    x, y, z = _seen_from(camera, *_hand(hand))
    dx, dy, dz = _seen_from(camera, target[0], target[1], target[2])
    dx, dy, dz = dx - x, dy - y, dz - z
    count = 4 * max(rows, columns)
    last_row = last_column = -1
    for number in range(count):
        share = (number + 0.5) / count
        depth = x + share * dx
        if depth <= 0.05:
            continue
        column = math.floor((y + share * dy) / (depth * pixel) + 0.5 * (columns - width) + 0.5)
        row = math.floor(0.5 * (rows - width) - (z + share * dz) / (depth * pixel) + 0.5)
        if row == last_row and column == last_column:
            continue
        last_row, last_column = row, column
        for i in range(max(row, 0), min(row + width, rows)):
            for j in range(max(column, 0), min(column + width, columns)):
                if depth < depths[i, j]:
                    depths[i, j] = depth  # so that a pixel is drawn once
                    for part in range(3):
                        old = picture[i, j, part]
                        picture[i, j, part] = int(old + BEAM_SHARE * (BEAM_COLOUR[part] - old) + 0.5)


@njit
def _hand(camera):
    """Where the hand of a player is whose camera this is (metres)."""
    eye, forward, right, up = camera.eye, camera.forward, camera.right, camera.up
    return (
        eye[0] + HAND_AHEAD * forward[0] + HAND_ASIDE * right[0] - HAND_BELOW * up[0],
        eye[1] + HAND_AHEAD * forward[1] + HAND_ASIDE * right[1] - HAND_BELOW * up[1],
        eye[2] + HAND_AHEAD * forward[2] + HAND_ASIDE * right[2] - HAND_BELOW * up[2],
    )


@njit
def _seen_from(camera, x, y, z):
    """How far ahead, to the right and above of a camera a point lies (metres)."""
    x, y, z = x - camera.eye[0], y - camera.eye[1], z - camera.eye[2]
    return (
        x * camera.forward[0] + y * camera.forward[1] + z * camera.forward[2],
        x * camera.right[0] + y * camera.right[1] + z * camera.right[2],
        x * camera.up[0] + y * camera.up[1] + z * camera.up[2],
    )

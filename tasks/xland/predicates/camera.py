"""The players' cameras: where they are, and how much of the world they take in."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT

#: Height of the camera above the player's feet (metres), on the player's axis.
EYE_HEIGHT = 1.5
#: Angle between the upper and the lower border of the picture (radians).
VERTICAL_FIELD_OF_VIEW = math.radians(60.0)
#: The picture's rows and columns (A.5); pixels are square, so the horizontal field of view is 75.2 degrees.
PICTURE_SHAPE = (72, 96)
ASPECT = PICTURE_SHAPE[1] / PICTURE_SHAPE[0]

_EYE_ABOVE_CENTRE = EYE_HEIGHT - PLAYER_HEIGHT / 2
_SLOPE_UP = math.tan(VERTICAL_FIELD_OF_VIEW / 2)
_SLOPE_RIGHT = _SLOPE_UP * ASPECT
#: Lengths of the normals (slope, 1) of the frustum's side planes.
_NORMAL_UP, _NORMAL_RIGHT = math.hypot(_SLOPE_UP, 1.0), math.hypot(_SLOPE_RIGHT, 1.0)

#: A player's camera: where its eye is (metres), and the directions of its picture.
CAMERA = np.dtype([(name, np.float64, 3) for name in ("eye", "forward", "right", "up")], align=True)


@njit
def place_camera(camera, centre, yaw, pitch):
    """Write the camera of a player into ``camera``, CAMERA.

    Args:
        camera: What is written.
        centre: float64 (3,), the player's, metres.
        yaw: Radians anticlockwise from the east.
        pitch: Radians, upwards from the horizon.
    """
    cos_yaw, sin_yaw = math.cos(yaw), math.sin(yaw)
    cos_pitch, sin_pitch = math.cos(pitch), math.sin(pitch)
    camera.eye[0], camera.eye[1], camera.eye[2] = centre[0], centre[1], centre[2] + _EYE_ABOVE_CENTRE
    camera.forward[0], camera.forward[1], camera.forward[2] = cos_pitch * cos_yaw, cos_pitch * sin_yaw, sin_pitch
    camera.right[0], camera.right[1], camera.right[2] = sin_yaw, -cos_yaw, 0.0
    camera.up[0], camera.up[1], camera.up[2] = -sin_pitch * cos_yaw, -sin_pitch * sin_yaw, cos_pitch


@njit
def in_picture(camera, x, y, z, radius):
    """Whether some point at most ``radius`` metres from (x, y, z) may lie in the frustum; exact for a radius of 0.

    The frustum begins at the eye and has no end. A ball that touches all of its half-spaces may yet miss it.
    """
    x -= camera.eye[0]
    y -= camera.eye[1]
    z -= camera.eye[2]
    depth = camera.forward[0] * x + camera.forward[1] * y + camera.forward[2] * z
    right = abs(camera.right[0] * x + camera.right[1] * y)
    up = abs(camera.up[0] * x + camera.up[1] * y + camera.up[2] * z)
    return (
        (depth > -radius)
        & (right <= depth * _SLOPE_RIGHT + radius * _NORMAL_RIGHT)
        & (up <= depth * _SLOPE_UP + radius * _NORMAL_UP)
    )


@njit(error_model="numpy")
def covered_pixels(depth, across, radius, count, pixel):
    """The first and the last of ``count`` pixels, from left to right, whose rays may meet a ball.

    Args:
        depth, across: The ball's centre, metres ahead and to the right.
        radius: Metres.
        count, pixel: How many pixels there are, and the width of each one at a depth of 1.
    """
    if not depth > -radius:  # so written, a place that is not a number is nowhere
        return 0, -1
    if depth <= radius:  # it reaches behind the eye
        beyond = across * across + depth * depth - radius * radius
        if not beyond > 0.0:  # and encloses it, so rays to either side may meet it
            return 0, count - 1
        # Slope of the one tangent ahead.
        slope = (across * across - radius * radius) / (abs(across) * depth + radius * math.sqrt(beyond))
        if across > 0.0:
            return math.ceil(min(max(slope / pixel + 0.5 * (count - 1), 0.0), count * 1.0)), count - 1
        return 0, math.floor(max(min(0.5 * (count - 1) - slope / pixel, count - 1.0), -1.0))
    # Slopes of the tangents from the eye.
    squared = depth * depth - radius * radius
    middle, reach = across * depth / squared, radius * math.sqrt(across * across + squared) / squared
    first = math.ceil(max((middle - reach) / pixel + 0.5 * (count - 1), 0.0))
    last = math.floor(min((middle + reach) / pixel + 0.5 * (count - 1), count - 1.0))
    return int(first), int(last)

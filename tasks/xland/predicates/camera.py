"""The players' cameras: where they are, and how much of the world they take in."""

import math

from numba import njit

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


@njit(cache=True)
def place_camera(camera, centre, yaw, pitch):
    """Write into ``camera`` (4, 3) the eye and the directions forward, right and up of a player's camera.

    Args:
        camera: float64 (4, 3).
        centre: float64 (3,), the player's, metres.
        yaw: Radians anticlockwise from the east.
        pitch: Radians, upwards from the horizon.
    """
    cos_yaw, sin_yaw = math.cos(yaw), math.sin(yaw)
    cos_pitch, sin_pitch = math.cos(pitch), math.sin(pitch)
    camera[0, 0], camera[0, 1], camera[0, 2] = centre[0], centre[1], centre[2] + _EYE_ABOVE_CENTRE
    camera[1, 0], camera[1, 1], camera[1, 2] = cos_pitch * cos_yaw, cos_pitch * sin_yaw, sin_pitch
    camera[2, 0], camera[2, 1], camera[2, 2] = sin_yaw, -cos_yaw, 0.0
    camera[3, 0], camera[3, 1], camera[3, 2] = -sin_pitch * cos_yaw, -sin_pitch * sin_yaw, cos_pitch


@njit(cache=True)
def in_picture(camera, x, y, z, radius):
    """Whether some point at most ``radius`` metres from (x, y, z) may lie in the frustum; exact for a radius of 0.

    The frustum begins at the eye and has no end. A ball that touches all of its half-spaces may yet miss it.
    """
    x -= camera[0, 0]
    y -= camera[0, 1]
    z -= camera[0, 2]
    depth = camera[1, 0] * x + camera[1, 1] * y + camera[1, 2] * z
    right = abs(camera[2, 0] * x + camera[2, 1] * y)
    up = abs(camera[3, 0] * x + camera[3, 1] * y + camera[3, 2] * z)
    return (
        (depth > -radius)
        & (right <= depth * _SLOPE_RIGHT + radius * _NORMAL_RIGHT)
        & (up <= depth * _SLOPE_UP + radius * _NORMAL_UP)
    )

"""Where to look: a direction in which some things are in the picture and others are not."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.predicates.camera import CAMERA, in_picture, place_camera

#: Directions that are considered: yaws evenly around, and these pitches (radians).
_NUM_YAWS = 36
_PITCHES = np.radians([0.0, -20.0, 20.0, -45.0, 45.0, 75.0, -75.0])
#: Metres within which something may be in the picture, as its middle is just outside.
_MARGIN = 0.3


@njit
def best_gaze(centre, yaw, pitch, things, held_angle):
    """The direction that has most of what is wished in the picture, or out of it, and is closest to the one now.

    Args:
        centre: float64 (3,), the player's (metres).
        yaw, pitch: As it looks now (radians).
        things: float64 (n, 5): centre and radius (metres), and 1 for what is to be seen, -1 for what is not.
        held_angle: Half the angle (radians) that a held object takes up in the middle of the picture; 0 without.

    Returns:
        Yaw and pitch (radians).
    """
    camera = np.empty(1, CAMERA)[0]
    best_yaw, best_pitch, best = yaw, pitch, -np.inf
    for number in range(-1, _NUM_YAWS * _PITCHES.shape[0]):
        new_yaw, new_pitch = yaw, pitch
        if number >= 0:
            new_yaw = 2 * math.pi * (number // _PITCHES.shape[0]) / _NUM_YAWS
            new_pitch = _PITCHES[number % _PITCHES.shape[0]]
        place_camera(camera, centre, new_yaw, new_pitch)
        turned = abs((new_yaw - yaw + math.pi) % (2 * math.pi) - math.pi) + abs(new_pitch - pitch)
        score = -0.1 * turned
        for thing in range(things.shape[0]):
            x, y, z, radius, sign = things[thing]
            if sign > 0:
                seen = in_picture(camera, x, y, z, 0.0)
                if seen and held_angle > 0.0:
                    seen = _off_axis(camera, x, y, z) > held_angle
                score += 1.0 if seen else 0.0
            elif not in_picture(camera, x, y, z, radius + _MARGIN):
                score += 1.0
        if score > best:
            best_yaw, best_pitch, best = new_yaw, new_pitch, score
    return best_yaw, best_pitch


@njit
def _off_axis(camera, x, y, z):
    """Angle (radians) between a camera's axis and the direction to a point."""
    x, y, z = x - camera.eye[0], y - camera.eye[1], z - camera.eye[2]
    along = camera.forward[0] * x + camera.forward[1] * y + camera.forward[2] * z
    return math.acos(min(max(along / max(math.sqrt(x * x + y * y + z * z), 1e-9), -1.0), 1.0))

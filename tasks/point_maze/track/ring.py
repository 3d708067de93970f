"""The track's shape: a ring around (0, 0) of radius 1 and half-width 0.15, open around angle 0.

Both ends lie 5 % of a turn (18 degrees) from the x axis, one above it and one below.
"""

import math

import numpy as np

RADIUS, HALF_WIDTH = 1.0, 0.15
INNER_RADIUS, OUTER_RADIUS = RADIUS - HALF_WIDTH, RADIUS + HALF_WIDTH
#: Angle of the upper end; the lower one mirrors it.
END_ANGLE = 0.05 * math.tau
#: Direction of the upper end.
END_X, END_Y = math.cos(END_ANGLE), math.sin(END_ANGLE)

#: What points on a wall may miss the track by: they are rounded to float64.
ROUNDING = 1e-12


def nearest_on_track(point: np.ndarray) -> np.ndarray:
    """The track's point (float64 (2,)) that is nearest to ``point``; one on the track stays as it is.

    Of two nearest ones it is the upper one; to the centre of the ring, the upper end's.
    """
    x, y = (point + 0.0).tolist()  # -0.0 has a direction of its own
    angle = math.atan2(abs(y), x)
    if angle >= END_ANGLE:
        radius = min(max(math.hypot(x, y), INNER_RADIUS), OUTER_RADIUS)
        nearest_x, nearest_y = radius * math.cos(angle), radius * math.sin(angle)
    else:
        radius = min(max(x * END_X + abs(y) * END_Y, INNER_RADIUS), OUTER_RADIUS)
        nearest_x, nearest_y = radius * END_X, radius * END_Y
    nearest = np.array([nearest_x, math.copysign(nearest_y, y)])
    return point if np.abs(nearest - point).max() <= ROUNDING else nearest


def distance_from_track(point: np.ndarray) -> float:
    """L2 distance from ``point`` (numbers of any dtype, (2,)) to the track: 0 on it; NaN where the point has NaN or
    infinity."""
    if not np.isfinite(point).all():
        return math.nan
    return math.hypot(*(nearest_on_track(np.asarray(point, np.float64)) - point))

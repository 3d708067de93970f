"""The relations between two bodies of one state (A.2.1). None of them asks whether the bodies are there."""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.camera import (
    PICTURE_SHAPE,
    VERTICAL_FIELD_OF_VIEW,
    covered_pixels,
    in_picture,
)
from procgen_bench.tasks.xland.predicates.geometry import closest_point, local_direction
from procgen_bench.tasks.xland.predicates.ground import ground_obstructs
from procgen_bench.tasks.xland.predicates.obstruction import bodies_obstruct
from procgen_bench.tasks.xland.predicates.rays import meet_body

#: Things are near each other up to this distance (metres).
NEAR_DISTANCE = 1.0
#: Width of a pixel of a player's picture at a depth of 1.
PIXEL = 2.0 * math.tan(VERTICAL_FIELD_OF_VIEW / 2) / PICTURE_SHAPE[0]


@njit
def are_near(first, second):
    """Whether two bodies are near each other: the construction of A.2.1.

    The points of the two surfaces that are closest to the other's centre have a middle; the points of the two surfaces
    that are closest to this middle are at most a metre apart.
    """
    a, b = first.centre, second.centre
    furthest = NEAR_DISTANCE + first.reach + second.reach
    if _squared_distance(a[0], a[1], a[2], b[0], b[1], b[2]) > furthest * furthest:
        return False  # whichever two points are taken
    ax, ay, az = closest_point(first, b[0], b[1], b[2])
    bx, by, bz = closest_point(second, a[0], a[1], a[2])
    x, y, z = (ax + bx) / 2, (ay + by) / 2, (az + bz) / 2
    ax, ay, az = closest_point(first, x, y, z)
    bx, by, bz = closest_point(second, x, y, z)
    return _squared_distance(ax, ay, az, bx, by, bz) <= NEAR_DISTANCE * NEAR_DISTANCE


@njit
def object_sees(bodies, balls, ground, i, j):
    """Whether nothing stands between the centres of object i and body j."""
    a, b = bodies[i].centre, bodies[j].centre
    return _unobstructed(bodies, balls, ground, i, j, a[0], a[1], a[2], b[0], b[1], b[2])


@njit
def player_sees(bodies, balls, ground, camera, i, j):
    """Whether body j is drawn in the picture of player i: at least one of its pixels shows it."""
    centre = bodies[j].centre
    if not in_picture(camera, centre[0], centre[1], centre[2], bodies[j].reach):
        return False
    return _shows_a_pixel(bodies, balls, ground, camera, i, j)


@njit(error_model="numpy")
def _shows_a_pixel(bodies, balls, ground, camera, i, j):
    """The ray through the middle of some pixel meets body j, and nothing stands between it and the eye.

    The upper rows come first: the ground rather hides what is below.
    """
    body, eye, (rows, columns) = bodies[j], camera.eye, PICTURE_SHAPE
    scale = 1.0 if body.shape == CAPSULE else 1.0 / body.size
    away_x, away_y, away_z = eye[0] - body.centre[0], eye[1] - body.centre[1], eye[2] - body.centre[2]
    forward, right, up = camera.forward, camera.right, camera.up
    depth = -(away_x * forward[0] + away_y * forward[1] + away_z * forward[2])
    across = -(away_x * right[0] + away_y * right[1] + away_z * right[2])
    above = -(away_x * up[0] + away_y * up[1] + away_z * up[2])
    first_column, last_column = covered_pixels(depth, across, body.reach, columns, PIXEL)
    first_row, last_row = covered_pixels(depth, -above, body.reach, rows, PIXEL)
    # Where rays begin and go, in the body's own axes and sizes.
    x, y, z = local_direction(body.frame, scale * away_x, scale * away_y, scale * away_z)
    forward_x, forward_y, forward_z = local_direction(body.frame, *_scaled(forward, scale))
    right_x, right_y, right_z = local_direction(body.frame, *_scaled(right, scale))
    up_x, up_y, up_z = local_direction(body.frame, *_scaled(up, scale))
    for row in range(first_row, last_row + 1):
        rise = (0.5 * (rows - 1) - row) * PIXEL
        for column in range(first_column, last_column + 1):
            aside = (column - 0.5 * (columns - 1)) * PIXEL
            time, _, _, _ = meet_body(
                body.shape,
                x,
                y,
                z,
                forward_x + rise * up_x + aside * right_x,
                forward_y + rise * up_y + aside * right_y,
                forward_z + rise * up_z + aside * right_z,
            )
            if time < math.inf and _unobstructed(
                bodies,
                balls,
                ground,
                i,
                j,
                eye[0],
                eye[1],
                eye[2],
                eye[0] + time * (forward[0] + rise * up[0] + aside * right[0]),
                eye[1] + time * (forward[1] + rise * up[1] + aside * right[1]),
                eye[2] + time * (forward[2] + rise * up[2] + aside * right[2]),
            ):
                return True
    return False


@njit
def _scaled(direction, scale):
    return scale * direction[0], scale * direction[1], scale * direction[2]


@njit
def _unobstructed(bodies, balls, ground, i, j, ax, ay, az, bx, by, bz):
    """Whether neither the ground nor a body, other than i and j, obstructs the segment from a to b."""
    if ground_obstructs(ground, ax, ay, az, bx, by, bz):
        return False
    return not bodies_obstruct(bodies, balls, i, j, ax, ay, az, bx, by, bz)


@njit
def _squared_distance(ax, ay, az, bx, by, bz):
    return (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)

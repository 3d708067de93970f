"""The relations between two bodies of one state (A.2.1). None of them asks whether the bodies are there."""

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.predicates.bodies import extremal_point
from procgen_bench.tasks.xland.predicates.camera import in_picture
from procgen_bench.tasks.xland.predicates.geometry import closest_point
from procgen_bench.tasks.xland.predicates.ground import ground_obstructs
from procgen_bench.tasks.xland.predicates.obstruction import bodies_obstruct

#: Things are near each other up to this distance (metres).
NEAR_DISTANCE = 1.0
_NUM_EXTREMAL_POINTS = 6


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
    """Whether body j would be drawn in the picture of player i: its centre or one of its six outermost points lies in
    the picture, and nothing stands between it and the eye."""
    centre = bodies[j].centre
    if not in_picture(camera, centre[0], centre[1], centre[2], bodies[j].reach):
        return False  # none of its points does
    return _sees_a_point(bodies, balls, ground, camera, i, j)


@njit
def _sees_a_point(bodies, balls, ground, camera, i, j):
    body, eye = bodies[j], camera.eye
    x, y, z = body.centre[0], body.centre[1], body.centre[2]
    for number in range(-1, _NUM_EXTREMAL_POINTS):
        if number >= 0:
            x, y, z = extremal_point(body, number)
        if in_picture(camera, x, y, z, 0.0) and _unobstructed(
            bodies, balls, ground, i, j, eye[0], eye[1], eye[2], x, y, z
        ):
            return True
    return False


@njit
def _unobstructed(bodies, balls, ground, i, j, ax, ay, az, bx, by, bz):
    """Whether neither the ground nor a body, other than i and j, obstructs the segment from a to b."""
    if ground_obstructs(ground, ax, ay, az, bx, by, bz):
        return False
    return not bodies_obstruct(bodies, balls, i, j, ax, ay, az, bx, by, bz)


@njit
def _squared_distance(ax, ay, az, bx, by, bz):
    return (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)

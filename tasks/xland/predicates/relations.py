"""The relations between two bodies of one state (A.2.1). None of them asks whether the bodies are there."""

from numba import njit

from procgen_bench.tasks.xland.predicates.bodies import extremal_point
from procgen_bench.tasks.xland.predicates.camera import in_picture
from procgen_bench.tasks.xland.predicates.geometry import closest_point
from procgen_bench.tasks.xland.predicates.obstruction import bodies_obstruct, ground_obstructs

#: Things are near each other up to this distance (metres).
NEAR_DISTANCE = 1.0
_NUM_EXTREMAL_POINTS = 6


@njit(cache=True)
def are_near(bodies, i, j):
    """Whether body i is near body j: the construction of A.2.1.

    The points of the two surfaces that are closest to the other's centre have a middle; the points of the two surfaces
    that are closest to this middle are at most a metre apart.
    """
    centres = bodies.centres
    furthest = NEAR_DISTANCE + bodies.reaches[i] + bodies.reaches[j]
    if _squared_distance(*_centre(centres, i), *_centre(centres, j)) > furthest * furthest:
        return False  # whichever two points are taken
    ax, ay, az = closest_point(bodies, i, *_centre(centres, j))
    bx, by, bz = closest_point(bodies, j, *_centre(centres, i))
    x, y, z = (ax + bx) / 2, (ay + by) / 2, (az + bz) / 2
    ax, ay, az = closest_point(bodies, i, x, y, z)
    bx, by, bz = closest_point(bodies, j, x, y, z)
    return _squared_distance(ax, ay, az, bx, by, bz) <= NEAR_DISTANCE * NEAR_DISTANCE


@njit(cache=True)
def object_sees(bodies, scenes, scene, i, j):
    """Whether nothing stands between the centres of object i and body j."""
    ax, ay, az = _centre(bodies.centres, i)
    return _unobstructed(bodies, scenes, scene, i, j, ax, ay, az, *_centre(bodies.centres, j))


@njit(cache=True)
def player_sees(bodies, scenes, scene, player, j):
    """Whether body j would be drawn in the picture of a player: its centre or one of its six outermost points lies in
    the picture, and nothing stands between it and the eye."""
    camera = bodies.cameras[player]
    own = bodies.shapes.shape[0] - bodies.cameras.shape[0] + player
    x, y, z = _centre(bodies.centres, j)
    if not in_picture(camera, x, y, z, bodies.reaches[j]):
        return False
    eye_x, eye_y, eye_z = camera[0, 0], camera[0, 1], camera[0, 2]
    if in_picture(camera, x, y, z, 0.0) and _unobstructed(bodies, scenes, scene, own, j, eye_x, eye_y, eye_z, x, y, z):
        return True
    for number in range(_NUM_EXTREMAL_POINTS):
        x, y, z = extremal_point(bodies, j, number)
        if in_picture(camera, x, y, z, 0.0) and _unobstructed(
            bodies, scenes, scene, own, j, eye_x, eye_y, eye_z, x, y, z
        ):
            return True
    return False


@njit(cache=True)
def _unobstructed(bodies, scenes, scene, i, j, ax, ay, az, bx, by, bz):
    """Whether neither the ground nor a body, other than i and j, obstructs the segment from a to b."""
    if bodies_obstruct(bodies, i, j, ax, ay, az, bx, by, bz):
        return False
    return not ground_obstructs(scenes, scene, ax, ay, az, bx, by, bz)


@njit(cache=True)
def _centre(centres, i):
    return centres[i, 0], centres[i, 1], centres[i, 2]


@njit(cache=True)
def _squared_distance(ax, ay, az, bx, by, bz):
    return (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)

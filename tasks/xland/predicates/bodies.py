"""The bodies of one state, laid out for the relations: what is worked out once and used for many pairs."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import GOAL_SHAPES, PLAYER_HEIGHT, PLAYER_RADIUS, PYRAMID, SHAPES, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_OBJECT
from procgen_bench.tasks.xland.predicates.camera import place_camera

#: Objects are numbered colour by colour, see ``games.atoms.OBJECTS``.
_NUM_SHAPES = len(GOAL_SHAPES)
#: The shape of players; it follows those of objects.
CAPSULE = len(SHAPES)
#: Half of a capsule's axis, between the centres of its round ends (metres).
AXIS_HALF = PLAYER_HEIGHT / 2 - PLAYER_RADIUS
#: A slab's edges along its own axes, in its sizes.
SLAB_EDGES = (1.0, 0.5, 0.125)
#: A pyramid's base lies this far below its centre of mass, in its sizes; its apex the rest of its height above.
BASE_DEPTH = 0.25

_CUBE_REACH, _SLAB_REACH = math.sqrt(3.0) / 2, math.hypot(*SLAB_EDGES) / 2
#: The apex, at 0.75 sizes, is the point of a pyramid that lies furthest from its centre; a corner is as far.
_PYRAMID_REACH = 1.0 - BASE_DEPTH
#: Keeps spheres that enclose bodies from cutting off a point of theirs by rounding.
_SLACK = 1.0 + 1e-9


#: A body of one state. Fields:
#:
#: - shape: place in ``SHAPES``, ``CAPSULE`` for players, -1 for what is gone,
#: - entity: a goal object's number among entities; -1 for slabs, players and what is gone,
#: - size: metres, see ``World.object_sizes``; 0 for players,
#: - reach: metres, radius of a sphere around the centre that encloses the body; -1 for what is gone,
#: - centre: metres,
#: - frame: rotation matrix, whose column c is the body's own axis c.
BODY = np.dtype(
    [
        ("shape", np.int64),
        ("entity", np.int64),
        ("size", np.float64),
        ("reach", np.float64),
        ("centre", np.float64, 3),
        ("frame", np.float64, (3, 3)),
    ],
    align=True,
)

#: Rows of the bodies' enclosing balls, next to each other for vector instructions: centre, squared radius (-1 for what
#: is gone), and room for the squared distance of something from the centre.
BALL_ROWS = ("x", "y", "z", "squared_radius", "squared_distance")
SQUARED_RADIUS, SQUARED_DISTANCE = 3, 4
#: Rows of balls are a multiple of this long, so that whole vectors (four of four numbers at once) go through them.
_BALLS_AT_ONCE = 16


@njit
def place_bodies(bodies, cameras, scenes, states, s):
    """Fill ``bodies``, BODY (K + P,), and ``cameras``, CAMERA (P,), with those of state ``s``."""
    scene = states.scene[s]
    num_objects = scenes.object_shapes.shape[1]
    for k in range(num_objects):
        shape, body = scenes.object_shapes[scene, k], bodies[k]
        if shape < 0 or not states.objects_present[s, k]:
            _remove(body)
            continue
        body.shape, body.size = shape, scenes.object_sizes[scene, k]
        body.reach = _reach(shape) * body.size * _SLACK
        body.entity = -1 if shape == SLAB else FIRST_OBJECT + _NUM_SHAPES * scenes.object_colours[scene, k] + shape
        for axis in range(3):
            body.centre[axis] = states.object_positions[s, k, axis]
        _rotate(body.frame, states.object_rotations[s, k])
    for p in range(states.player_yaws.shape[1]):
        body = bodies[num_objects + p]
        if not states.players_present[s, p]:
            _remove(body)
            continue
        body.shape, body.entity, body.size = CAPSULE, -1, 0.0
        body.reach = PLAYER_HEIGHT / 2 * _SLACK
        for axis in range(3):
            body.centre[axis] = states.player_positions[s, p, axis]
        _turn(body.frame, states.player_yaws[s, p])
        place_camera(cameras[p], body.centre, states.player_yaws[s, p], states.player_pitches[s, p])


@njit
def empty_balls(num_bodies):
    """Room for the enclosing balls of so many bodies and, up to the end of the rows, of nothing: float64 (5, N)."""
    vectors = (num_bodies + _BALLS_AT_ONCE - 1) // _BALLS_AT_ONCE
    return np.full((len(BALL_ROWS), vectors * _BALLS_AT_ONCE), -1.0)


@njit
def enclose(bodies, balls):
    """Write into ``balls`` those that enclose the bodies."""
    for k in range(bodies.shape[0]):
        body = bodies[k]
        for axis in range(3):
            balls[axis, k] = body.centre[axis]
        balls[SQUARED_RADIUS, k] = body.reach * body.reach if body.shape >= 0 else -1.0


@njit
def _remove(body):
    body.shape, body.entity, body.size, body.reach = -1, -1, 0.0, -1.0
    body.centre[0] = body.centre[1] = body.centre[2] = 0.0


@njit
def _reach(shape):
    """Distance of the point of a body of size 1 that lies furthest from its centre."""
    if shape == SPHERE:
        return 0.5
    if shape == PYRAMID:
        return _PYRAMID_REACH
    return _SLAB_REACH if shape == SLAB else _CUBE_REACH


@njit
def _rotate(frame, quaternion):
    """Write the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    frame[0, 0], frame[0, 1], frame[0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    frame[1, 0], frame[1, 1], frame[1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    frame[2, 0], frame[2, 1], frame[2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )


@njit
def _turn(frame, yaw):
    """Write the rotation matrix of a turn about the vertical."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    frame[0, 0], frame[0, 1], frame[0, 2] = cos, -sin, 0.0
    frame[1, 0], frame[1, 1], frame[1, 2] = sin, cos, 0.0
    frame[2, 0], frame[2, 1], frame[2, 2] = 0.0, 0.0, 1.0

"""The bodies of one state, laid out for the relations: what is worked out once and used for many pairs."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS, PYRAMID, SHAPES, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.atom_order import FIRST_OBJECT
from procgen_bench.tasks.xland.predicates.camera import place_camera

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


class Bodies(NamedTuple):
    """N = K + P bodies of one state: objects, then players. All float64 but shapes and entities.

    Attributes:
        centres: (N, 3), metres.
        frames: (N, 3, 3), rotation matrices: column c is the body's axis c.
        shapes: int64 (N,), places in ``SHAPES``, ``CAPSULE`` for players, -1 for what is gone.
        sizes: (N,), metres, see ``World.object_sizes``; 0 for players.
        reaches: (N,), metres: radius of a sphere around the centre that encloses the body; -1 for what is gone.
        entities: int64 (N,), numbers of the goal objects among entities; -1 for slabs, players and what is gone.
        cameras: (P, 4, 3), see :func:`place_camera`.
    """

    centres: np.ndarray
    frames: np.ndarray
    shapes: np.ndarray
    sizes: np.ndarray
    reaches: np.ndarray
    entities: np.ndarray
    cameras: np.ndarray


@njit(cache=True)
def empty_bodies(num_objects, num_players):
    """Room for the bodies of one state."""
    count = num_objects + num_players
    return Bodies(
        np.empty((count, 3)),
        np.empty((count, 3, 3)),
        np.empty(count, np.int64),
        np.empty(count),
        np.empty(count),
        np.empty(count, np.int64),
        np.empty((num_players, 4, 3)),
    )


@njit(cache=True)
def place_bodies(bodies, scenes, states, s):
    """Fill ``bodies`` with those of state ``s``."""
    scene = states.scene[s]
    num_objects = scenes.object_shapes.shape[1]
    for k in range(num_objects):
        shape = scenes.object_shapes[scene, k]
        if shape < 0 or not states.objects_present[s, k]:
            _remove(bodies, k)
            continue
        bodies.shapes[k], bodies.sizes[k] = shape, scenes.object_sizes[scene, k]
        bodies.reaches[k] = _reach(shape) * bodies.sizes[k] * _SLACK
        bodies.entities[k] = -1 if shape == SLAB else FIRST_OBJECT + 3 * scenes.object_colours[scene, k] + shape
        for axis in range(3):
            bodies.centres[k, axis] = states.object_positions[s, k, axis]
        _rotate(bodies.frames, k, states.object_rotations[s, k])
    for p in range(states.player_yaws.shape[1]):
        i = num_objects + p
        if not states.players_present[s, p]:
            _remove(bodies, i)
            continue
        bodies.shapes[i], bodies.sizes[i], bodies.entities[i] = CAPSULE, 0.0, -1
        bodies.reaches[i] = PLAYER_HEIGHT / 2 * _SLACK
        position = states.player_positions[s, p]
        x, y, z = position[0], position[1], position[2]
        bodies.centres[i, 0], bodies.centres[i, 1], bodies.centres[i, 2] = x, y, z
        place_camera(bodies.cameras[p], x, y, z, states.player_yaws[s, p], states.player_pitches[s, p])
        _turn(bodies.frames, i, states.player_yaws[s, p])


@njit(cache=True)
def extremal_point(bodies, i, number):
    """A body's outermost point along its own axes: x backwards and forwards (0, 1), y (2, 3), z (4, 5).

    Where a whole face or edge lies outermost, its middle. A player's are at half its height, and its top and bottom.
    """
    axis, sign = number // 2, 2.0 * (number % 2) - 1.0
    shape, size = bodies.shapes[i], bodies.sizes[i]
    lift = 0.0  # along the body's z
    if shape == CAPSULE:
        out = PLAYER_HEIGHT / 2 if axis == 2 else PLAYER_RADIUS
    elif shape == SLAB:
        out = size * SLAB_EDGES[axis] / 2
    else:
        out = size / 2
        if shape == PYRAMID:
            lift = size * (0.5 - BASE_DEPTH) if axis == 2 else -size * BASE_DEPTH
    out *= sign
    return (
        bodies.centres[i, 0] + bodies.frames[i, 0, axis] * out + bodies.frames[i, 0, 2] * lift,
        bodies.centres[i, 1] + bodies.frames[i, 1, axis] * out + bodies.frames[i, 1, 2] * lift,
        bodies.centres[i, 2] + bodies.frames[i, 2, axis] * out + bodies.frames[i, 2, 2] * lift,
    )


@njit(cache=True)
def _remove(bodies, i):
    bodies.shapes[i], bodies.sizes[i], bodies.reaches[i], bodies.entities[i] = -1, 0.0, -1.0, -1
    for axis in range(3):
        bodies.centres[i, axis] = 0.0


@njit(cache=True)
def _reach(shape):
    """Distance of the point of a body of size 1 that lies furthest from its centre."""
    if shape == SPHERE:
        return 0.5
    if shape == PYRAMID:
        return _PYRAMID_REACH
    return _SLAB_REACH if shape == SLAB else _CUBE_REACH


@njit(cache=True)
def _rotate(frames, i, quaternion):
    """Write the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    frames[i, 0, 0], frames[i, 0, 1], frames[i, 0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    frames[i, 1, 0], frames[i, 1, 1], frames[i, 1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    frames[i, 2, 0], frames[i, 2, 1], frames[i, 2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )


@njit(cache=True)
def _turn(frames, i, yaw):
    """Write the rotation matrix of a turn about the vertical."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    frames[i, 0, 0], frames[i, 0, 1], frames[i, 0, 2] = cos, -sin, 0.0
    frames[i, 1, 0], frames[i, 1, 1], frames[i, 1, 2] = sin, cos, 0.0
    frames[i, 2, 0], frames[i, 2, 1], frames[i, 2, 2] = 0.0, 0.0, 1.0

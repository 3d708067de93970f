"""The bodies of one world as compiled functions take them, which hold them fast, stir them and put them back."""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import matrix, record_type, vector
from procgen_bench.engine.mujoco_calls import DATA, MODEL, mj_ray
from procgen_bench.envs.xland.model import (
    GONE_GROUP,
    OBJECT,
    OBJECT_POSITIONS,
    OBJECT_VELOCITIES,
    PLAYER_SLIDES,
    PRESENT_GROUP,
)

#: Inertia added to what is frozen or gone (kg and kg m2): no force here moves it visibly.
FAST_INERTIA = 1e9
#: A force too small to matter (newtons), which wakes what sleeps.
STIR_FORCE = 1e-9
#: Distance (metres) above another body at which one returns whose place is taken.
_RETURN_GAP = 0.05


class BodyArrays(NamedTuple):
    """The bodies as compiled functions take them: views of MuJoCo's arrays, and what does not change.

    Attributes:
        addresses: int64 (4,), see :func:`~procgen_bench.engine.mujoco_calls.physics_addresses`.
        positions, velocities, applied, support, awake: See :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        warm_starts: float64 (6 K + 3 P,), accelerations at which the solver begins.
        stirring: float64 (1 + K + P, 6), forces and torques on the world and the bodies, apart from ``applied``.
        warnings: int32 (warnings, 2), the last word of each of MuJoCo's warnings, and their numbers.
        collides_with, collides_as, groups: int32 (geoms,), what geoms meet, and who sees them.
        frictions: float64 (K + P, 3), of all bodies: sliding first.
        added_inertias, inertias: float64 (6 K + 3 P,), by velocities: what is added to the bodies', and all of it.
        inertias_at_first: float64 (6 K + 3 P,), without what is added.
        geoms: int64 (K + P,), the geom of every body.
        body_of_geom: int64 (geoms,), see :class:`~procgen_bench.envs.xland.bodies.Bodies`.
        objects: OBJECT (K,).
        object_starts, player_starts: float64 (K, 7) and (P, 3), where bodies begin.
        radii, rises: float64 (K + P,), how far bodies reach to the sides, and upwards, from their centres (metres).
        seen_groups: uint8 (groups,), 1 for those that rays meet.
    """

    addresses: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    applied: np.ndarray
    support: np.ndarray
    warm_starts: np.ndarray
    stirring: np.ndarray
    awake: np.ndarray
    warnings: np.ndarray
    collides_with: np.ndarray
    collides_as: np.ndarray
    groups: np.ndarray
    frictions: np.ndarray
    added_inertias: np.ndarray
    inertias: np.ndarray
    inertias_at_first: np.ndarray
    geoms: np.ndarray
    body_of_geom: np.ndarray
    objects: np.ndarray
    object_starts: np.ndarray
    player_starts: np.ndarray
    radii: np.ndarray
    rises: np.ndarray
    seen_groups: np.ndarray


#: Where the arrays of bodies lie.
BODY_PLACES = record_type(BodyArrays._fields)


@njit
def bodies_at(places):
    """The arrays of bodies whose places are in a record of ``BODY_PLACES``."""
    return BodyArrays(
        vector(places.addresses, np.int64),
        vector(places.positions, np.float64),
        vector(places.velocities, np.float64),
        vector(places.applied, np.float64),
        vector(places.support, np.float64),
        vector(places.warm_starts, np.float64),
        matrix(places.stirring, np.float64),
        vector(places.awake, np.int32),
        matrix(places.warnings, np.int32),
        vector(places.collides_with, np.int32),
        vector(places.collides_as, np.int32),
        vector(places.groups, np.int32),
        matrix(places.frictions, np.float64),
        vector(places.added_inertias, np.float64),
        vector(places.inertias, np.float64),
        vector(places.inertias_at_first, np.float64),
        vector(places.geoms, np.int64),
        vector(places.body_of_geom, np.int64),
        vector(places.objects, OBJECT),
        matrix(places.object_starts, np.float64),
        matrix(places.player_starts, np.float64),
        vector(places.radii, np.float64),
        vector(places.rises, np.float64),
        vector(places.seen_groups, np.uint8),
    )


@njit
def cast_ray(bodies, start, direction, player):
    """The first surface along a ray (float64 (3,) each), other than of ``player``, whose ray it is.

    Returns:
        Distance in metres (infinite if there is none), the body (-1: the ground, a wall, nothing), and how far the
        surface's normal points upwards (-1 to 1).
    """
    hit, normal = np.empty(1, np.int32), np.zeros(3)
    distance = mj_ray(
        bodies.addresses[MODEL],
        bodies.addresses[DATA],
        start.ctypes.data,
        direction.ctypes.data,
        bodies.seen_groups.ctypes.data,
        True,
        1 + bodies.objects.shape[0] + player,
        hit.ctypes.data,
        normal.ctypes.data,
    )
    if distance < 0.0:
        return np.inf, -1, 0.0
    return distance, bodies.body_of_geom[hit[0]], normal[2]


@njit
def set_present(bodies, body, present):
    """Whether a body meets others and is in their sight."""
    geom = bodies.geoms[body]
    bodies.collides_with[geom] = bodies.collides_as[geom] = 1 if present else 0
    bodies.groups[geom] = PRESENT_GROUP if present else GONE_GROUP


@njit
def set_fast(bodies, body, fast):
    """Whether nothing moves a body; from then on it is at rest."""
    # MuJoCo reads the inertia of bodies that turn about their own axes from dof_M0, and adds up that of others.
    added = FAST_INERTIA if fast else 0.0
    num_objects = bodies.objects.shape[0]
    for slot in range(first_velocity(body, num_objects), first_velocity(body + 1, num_objects)):
        bodies.added_inertias[slot] = added
        bodies.inertias[slot] = bodies.inertias_at_first[slot] + added
        if fast:
            bodies.velocities[slot] = bodies.warm_starts[slot] = 0.0


@njit
def stir(bodies):
    """Wake all objects in the next step: what some rest on has changed."""
    for body in range(1, 1 + bodies.objects.shape[0]):
        bodies.stirring[body, 2] = STIR_FORCE


@njit
def calm(bodies):
    """Undo :func:`stir`; what is awake stays so for a while."""
    for body in range(1, 1 + bodies.objects.shape[0]):
        bodies.stirring[body, 2] = 0.0


@njit
def have_warned(bodies):
    """Whether MuJoCo has warned of numbers that are none, or of too many contacts."""
    number = 0
    for kind in range(bodies.warnings.shape[0]):
        number += bodies.warnings[kind, 1]
    return number > 0


@njit
def put_back(bodies, body, gone):
    """Put a body at its start, at rest; where others are (of which ``gone``, int64 (K + P,), is 0), above them."""
    place(bodies, body)
    num_objects, positions = bodies.objects.shape[0], bodies.positions
    own, lowest, last = first_position(body, num_objects), -np.inf, -1
    x, y = positions[own], positions[own + 1]
    while True:
        # The next one upwards; of equally high ones, in their order.
        height, found = np.inf, -1
        for other in range(gone.shape[0]):
            first = first_position(other, num_objects)
            z = positions[first + 2]
            if other == body or gone[other] > 0 or z < lowest or (z == lowest and other <= last) or not z < height:
                continue
            aside = math.hypot(positions[first] - x, positions[first + 1] - y)
            if not aside >= bodies.radii[other] + bodies.radii[body]:
                height, found = z, other
        if found < 0:
            return
        rise = bodies.rises[found] + bodies.rises[body]
        if abs(positions[own + 2] - height) < rise:
            positions[own + 2] = height + rise + _RETURN_GAP
        lowest, last = height, found


@njit
def first_position(body, num_objects):
    """Where a body's position begins among positions."""
    return OBJECT_POSITIONS * min(body, num_objects) + PLAYER_SLIDES * max(body - num_objects, 0)


@njit
def first_velocity(body, num_objects):
    """Where a body's velocity begins among velocities."""
    return OBJECT_VELOCITIES * min(body, num_objects) + PLAYER_SLIDES * max(body - num_objects, 0)


@njit
def place(bodies, body):
    """Put a body at its start, at rest."""
    num_objects = bodies.objects.shape[0]
    first = first_position(body, num_objects)
    if body < num_objects:
        for part in range(OBJECT_POSITIONS):
            bodies.positions[first + part] = bodies.object_starts[body, part]
    else:
        for axis in range(PLAYER_SLIDES):
            bodies.positions[first + axis] = bodies.player_starts[body - num_objects, axis]
    for slot in range(first_velocity(body, num_objects), first_velocity(body + 1, num_objects)):
        bodies.velocities[slot] = 0.0

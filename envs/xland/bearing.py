"""What bears players: objects on which they stand, and that nobody rises whom nothing bears."""

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.body_arrays import first_position, first_velocity
from procgen_bench.envs.xland.contacts import FLOOR_NORMAL
from procgen_bench.envs.xland.model import OBJECT_VELOCITIES, PLAYER_SLIDES
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT

#: A body stands on another where the normal between them points upwards by at least this.
STANDING_NORMAL = 0.1
#: What rises faster than this (metres per second) bears nobody upwards: it would throw a player that it meets.
RISING_SPEED = 0.2


@njit
def find_laden(contacts, body_of_geom, laden):
    """Write which objects bear a player: one that stands on them, or on what lies on them.

    Args:
        contacts: CONTACT (n,), see :mod:`procgen_bench.engine.mujoco_calls`.
        body_of_geom: int64 (geoms,), see :class:`~procgen_bench.envs.xland.model.WorldModel`.
        laden: bool (K,), written.
    """
    num_objects = laden.shape[0]
    laden[:] = False
    found = True
    while found:
        found = False
        for contact in contacts:
            lower, upper, up = _pair(contact, body_of_geom)
            if up < STANDING_NORMAL or not 0 <= lower < num_objects or upper < 0 or laden[lower]:
                continue
            if upper >= num_objects or laden[upper]:
                laden[lower] = found = True


@njit
def keep_down(players, contacts, body_of_geom, positions, velocities, before, fall):
    """Take from players what they have gained of speed upwards where they stand on nothing, nor step up.

    What they are squeezed between, and contacts as the physics models them, would lift them else.

    Args:
        players: PLAYER (P,).
        contacts, body_of_geom: See :func:`find_laden`.
        positions, velocities: See :class:`~procgen_bench.envs.xland.bodies.Bodies`; velocities are changed.
        before: float64 (6 K + 3 P,), the velocities a while ago.
        fall: What a body that falls freely has lost of speed upwards since then (metres per second).
    """
    num_objects = (velocities.shape[0] - PLAYER_SLIDES * players.shape[0]) // OBJECT_VELOCITIES
    for p in range(players.shape[0]):
        slot = first_velocity(num_objects + p, num_objects) + 2
        freely = max(before[slot] - fall, 0.0)
        if velocities[slot] <= freely:
            continue
        feet = positions[first_position(num_objects + p, num_objects) + 2] - PLAYER_HEIGHT / 2
        if feet >= players[p].step_top and not _stands(contacts, body_of_geom, velocities, num_objects, p):
            velocities[slot] = freely


@njit
def _stands(contacts, body_of_geom, velocities, num_objects, p):
    """Whether a player touches a floor, or something that is no wall and does not rise."""
    for contact in contacts:
        lower, upper, up = _pair(contact, body_of_geom)
        if upper != num_objects + p or up < FLOOR_NORMAL:
            continue
        if lower < 0 or velocities[first_velocity(lower, num_objects) + 2] <= RISING_SPEED:
            return True
    return False


@njit
def _pair(contact, body_of_geom):
    """The lower and the upper one of two bodies that touch (-1: the ground, a wall), and how far the normal between
    them points upwards."""
    first, second = body_of_geom[contact.geom[0]], body_of_geom[contact.geom[1]]
    up = contact.frame[2]
    return (first, second, up) if up > 0.0 else (second, first, -up)

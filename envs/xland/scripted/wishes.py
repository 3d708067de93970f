"""Wishes that follow from literals: for the place where a player stands, and for that of an object."""

import math

import numpy as np

from procgen_bench.envs.xland.scripted.literals import WEIGHT, Cast, Literal
from procgen_bench.envs.xland.scripted.places import (
    CENTRE_RISE,
    COLOUR,
    EYE_RISE,
    FAR,
    REACH,
    SIGHT,
    SPOT,
    VIEWED,
    WISH,
    wish,
)
from procgen_bench.envs.xland.scripted.places import NEAR as NEAR_WISH
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_FLOOR, ME, NEAR, ON, OPPONENT, SEE

#: Metres of way that cover is worth more than somebody's back, and how far behind that is (metres).
_COVER_WEIGHT, _BACK = 30.0, 0.9


def own_wishes(
    literals: list[Literal], pending: list[Literal], senses: Senses, cast: Cast, eyes: dict[int, tuple]
) -> list[np.ndarray]:
    """What a player's goal has it wish for the place where it is.

    Args:
        literals: Those of an option.
        pending: Those that do not hold.
        senses, cast: The player's.
        eyes: Of the other players, by body: x, y, z (metres), yaw and pitch (radians).

    Returns:
        Wishes, (1,) of dtype ``WISH`` each.
    """
    found = []
    for one in literals:
        if one.relation == ON:
            if one.first == ME:
                found.append(wish(COLOUR, WEIGHT, not one.wanted, colour=one.second - FIRST_FLOOR))
            elif one.first == OPPONENT and one.wanted and one in pending:
                found += _lead(one, senses, cast)
            continue
        if not one.involves(ME) or one.relation not in (NEAR, SEE):
            continue
        other = one.first if one.second == ME else one.second
        bodies = cast.there(other, senses)
        for body in bodies[:1] if one.wanted else bodies:
            if body == senses.held:
                continue
            if one.relation == NEAR:
                found.append(_near(body, senses, one.wanted))
            elif one.first == ME and one.wanted:
                found.append(_sight(body, senses, EYE_RISE, True))
            elif one.second == ME and other == OPPONENT:
                found += _viewed(eyes[body], one.wanted) if one.wanted else _hidden(eyes[body])
            elif one.second == ME:
                found.append(_sight(body, senses, CENTRE_RISE, one.wanted))
    return found


def object_wishes(
    entity: int, k: int, literals: list[Literal], senses: Senses, cast: Cast, eyes: dict[int, tuple]
) -> list[np.ndarray]:
    """Wishes that a player's goal gives it for the place of object ``k``, which is ``entity``; see
    :func:`own_wishes`."""
    x, y, _ = senses.places[k]
    found = [wish(SPOT, 0.3, x=x, y=y)]
    for one in literals:
        if not one.involves(entity):
            continue
        if one.relation == ON:
            found.append(wish(COLOUR, one.weight, not one.wanted, colour=one.second - FIRST_FLOOR))
            continue
        other = one.first if one.second == entity else one.second
        if other == ME:
            continue
        bodies = cast.there(other, senses)
        for body in bodies[:1] if one.wanted else bodies:
            if one.relation == NEAR:
                found.append(_near(body, senses, one.wanted, one.weight))
            elif one.relation == SEE and one.first == OPPONENT:
                found += _viewed(eyes[body], one.wanted, one.weight)
            elif one.relation == SEE:
                found.append(_sight(body, senses, senses.rests[k], one.wanted, one.weight))
    return found


def reach_of(point: tuple[float, float, float], least: float, greatest: float, weight: float) -> np.ndarray:
    """The wish, (1,) of dtype ``WISH``, to have a point (metres) before one's eyes, between two distances (metres)."""
    x, y, z = point
    return wish(REACH, weight, x=x, y=y, z=z, radius=greatest, half=least)


def joined(wishes: list[np.ndarray]) -> np.ndarray:
    """Wishes, (1,) of dtype ``WISH`` each, as one array, (n,) of that dtype."""
    # Ten times as fast as to concatenate records.
    return np.frombuffer(bytearray(b"".join(one.tobytes() for one in wishes)), WISH)


def _near(body: int, senses: Senses, wanted: bool, weight: float = WEIGHT) -> np.ndarray:
    x, y, z = senses.places[body]
    return wish(NEAR_WISH, weight, not wanted, x=x, y=y, z=z, radius=senses.radii[body], half=senses.halves[body])


def _sight(body: int, senses: Senses, rise: float, wanted: bool, weight: float = WEIGHT) -> np.ndarray:
    x, y, z = senses.places[body]
    return wish(SIGHT, weight, not wanted, x=x, y=y, z=z, rise=rise)


def _viewed(eye: tuple, wanted: bool, weight: float = WEIGHT) -> list[np.ndarray]:
    x, y, z, yaw, pitch = eye
    found = [wish(VIEWED, weight, not wanted, x=x, y=y, z=z, yaw=yaw, pitch=pitch)]
    if wanted:
        # Straight ahead, not at the border of the picture.
        found.append(wish(SPOT, 0.3, x=x + 2.5 * math.cos(yaw), y=y + 2.5 * math.sin(yaw), radius=1.0))
    return found


def _hidden(eye: tuple) -> list[np.ndarray]:
    """To be out of a player's picture: behind cover, or else behind its back, where it cannot turn as fast."""
    x, y, z, yaw, _ = eye
    back = x - _BACK * math.cos(yaw), y - _BACK * math.sin(yaw)
    return [
        *_viewed(eye, False),
        wish(SIGHT, _COVER_WEIGHT, True, x=x, y=y, z=z, rise=EYE_RISE),
        wish(SPOT, 2.0, x=back[0], y=back[1], radius=0.3),
    ]


def unseen(eyes: dict[int, tuple], weight: float) -> list[np.ndarray]:
    """The slight wishes, (1,) of dtype ``WISH`` each, of ``weight`` metres of way, that no other player could aim at
    one."""
    return [wish(SIGHT, weight, True, x=x, y=y, z=z, rise=EYE_RISE) for x, y, z, *_ in eyes.values()]


def _lead(one: Literal, senses: Senses, cast: Cast) -> list[np.ndarray]:
    """To stand on the floor to which somebody is to come, beyond where it comes onto it."""
    found = [wish(COLOUR, WEIGHT, colour=one.second - FIRST_FLOOR)]
    for body in cast.there(OPPONENT, senses)[:1]:
        x, y, _ = senses.places[body]
        found.append(wish(FAR, 4.0, x=x, y=y, radius=4.0))
    return found

"""Aims: a goal's literals, and the wishes for a place that follow from them, for the player itself or an object."""

import math
from typing import NamedTuple

import numpy as np

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
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.games.atoms import ATOMS, ENTITIES, RELATIONS
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_FLOOR, ME, NEAR, ON, OPPONENT, SEE

#: Metres of way that it is worth to have a literal hold.
WEIGHT = 400.0
#: That of a relation between objects: it can also be mended by moving the other one.
_RELATION_WEIGHT = 250.0
#: Metres of way that cover is worth more than somebody's back, and how far behind that is (metres).
_COVER_WEIGHT, _BACK = 30.0, 0.9


class Literal(NamedTuple):
    """An atom that is wanted true or false.

    Attributes:
        judge: The seat whose truths say whether it holds.
        atom: Its place in ``ATOMS``, in the judge's words.
        wanted: Whether it is wanted true.
        relation, first, second: What it is about, in the player's own words: numbers of ``RELATIONS`` and ``ENTITIES``.
    """

    judge: int
    atom: int
    wanted: bool
    relation: int
    first: int
    second: int

    @property
    def weight(self) -> float:
        """Metres of way that it is worth to have it hold."""
        return WEIGHT if self.relation == ON else _RELATION_WEIGHT

    def involves(self, entity: int) -> bool:
        """Whether it names an entity."""
        return entity in (self.first, self.second)


def options_of(goal: Goal, seat: int) -> list[list[Literal]]:
    """The literals of every option of the goal of a seat's player."""
    return [[_literal(seat, int(atom), bool(row[atom] > 0)) for atom in np.flatnonzero(row)] for row in goal.matrix]


def undone(one: Literal) -> Literal:
    """What a player wants who wants another's literal not to hold, which is in that other's words."""
    other_words = {ME: OPPONENT, OPPONENT: ME}
    first, second = other_words.get(one.first, one.first), other_words.get(one.second, one.second)
    return one._replace(wanted=not one.wanted, first=first, second=second)


def _literal(seat: int, atom: int, wanted: bool) -> Literal:
    relation, first, second = ATOMS[atom]
    return Literal(seat, atom, wanted, RELATIONS.index(relation), ENTITIES.index(first), ENTITIES.index(second))


class Cast:
    """Which bodies the entities of goals are, for one player."""

    def __init__(self, simulation: XLandSimulation, senses: Senses):
        world = simulation.task.world
        self._bodies: dict[int, list[int]] = {ME: [senses.body], OPPONENT: senses.others}
        for k, (shape, colour) in enumerate(zip(world.object_shapes.tolist(), world.object_colours.tolist())):
            if shape != SLAB:
                self._bodies.setdefault(3 * colour + shape, []).append(k)
        self.slabs = [k for k, shape in enumerate(senses.shapes) if shape == SLAB]

    def bodies(self, entity: int) -> list[int]:
        """Numbers of the bodies that an entity is."""
        return self._bodies.get(entity, [])

    def there(self, entity: int, senses: Senses) -> list[int]:
        """Those that are there, the one closest to the player first."""
        found = [body for body in self.bodies(entity) if senses.present[body]]
        if len(found) < 2:
            return found
        return sorted(found, key=lambda body: math.dist(senses.places[body], (senses.x, senses.y, senses.z)))


def own_wishes(
    literals: list[Literal], pending: list[Literal], senses: Senses, cast: Cast, eyes: dict[int, tuple]
) -> list[np.ndarray]:
    """What a player's goal has it wish for the place where it is.

    Args:
        literals: Those of an option.
        pending: Those that do not hold.
        senses, cast: The player's.
        eyes: Of the other players, by body: x, y, z (metres), yaw and pitch (radians).
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
    """What a player's goal has it wish for the place of object ``k``, which is ``entity``; see :func:`own_wishes`."""
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
    """The wish to have a point (metres) before one's eyes, between two distances (metres)."""
    x, y, z = point
    return wish(REACH, weight, x=x, y=y, z=z, radius=greatest, half=least)


def joined(wishes: list[np.ndarray]) -> np.ndarray:
    """Wishes as one array."""
    return np.concatenate(wishes) if wishes else np.zeros(0, WISH)


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
    """The slight wish that no other player could aim at one."""
    return [wish(SIGHT, weight, True, x=x, y=y, z=z, rise=EYE_RISE) for x, y, z, *_ in eyes.values()]


def _lead(one: Literal, senses: Senses, cast: Cast) -> list[np.ndarray]:
    """To stand on the floor to which somebody is to come, beyond where it comes onto it."""
    found = [wish(COLOUR, WEIGHT, colour=one.second - FIRST_FLOOR)]
    for body in cast.there(OPPONENT, senses)[:1]:
        x, y, _ = senses.places[body]
        found.append(wish(FAR, 4.0, x=x, y=y, radius=4.0))
    return found

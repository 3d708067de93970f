"""Literals of a goal, and the bodies that their entities are, for one player."""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import GOAL_SHAPES, SLAB
from procgen_bench.tasks.xland.games.atoms import ATOMS, ENTITIES, RELATIONS
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.atom_table import ME, ON, OPPONENT

#: Metres of way that it is worth to have a literal hold.
WEIGHT = 400.0
#: That of a relation between objects: it can also be mended by moving the other one.
_RELATION_WEIGHT = 250.0


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
                self._bodies.setdefault(len(GOAL_SHAPES) * colour + shape, []).append(k)

    def bodies(self, entity: int) -> list[int]:
        """Numbers of the bodies that an entity is."""
        return self._bodies.get(entity, [])

    def there(self, entity: int, senses: Senses) -> list[int]:
        """Those that are there, the one closest to the player first."""
        found = [body for body in self.bodies(entity) if senses.present[body]]
        if len(found) < 2:
            return found
        return sorted(found, key=lambda body: math.dist(senses.places[body], (senses.x, senses.y, senses.z)))

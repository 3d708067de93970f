"""Luring: another player that keeps out of one's sight comes behind one's back, and so to where one turns it."""

import math
from typing import NamedTuple

from procgen_bench.envs.xland.scripted.literals import Literal
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.tasks.xland.predicates.atom_table import ME, NEAR, OPPONENT, SEE

#: Metres within which objects lie close enough to lure somebody to all of them at once, how far from their middle a
#: player stands that does so, and within which of there it turns its back.
_TOGETHER, _STAND, TURNING = 3.0, 1.5, 1.0


class Bait(NamedTuple):
    """Where another player is lured.

    Attributes:
        x, y: To where one turns one's back (metres).
        stand: Where one stands (metres).
    """

    x: float
    y: float
    stand: tuple[float, float]


def find_bait(pursuit: Pursuit, pending: list[Literal], goals: list[list[list[Literal]]]) -> Bait | None:
    """The middle of the objects to which all pending literals want another player, if it can be lured there: it is the
    only one, and hides from this player whatever it does.

    Args:
        pursuit: The option.
        pending: Its literals that do not hold.
        goals: Options of the other players' goals, in their own words.
    """
    senses = pursuit.actor.senses
    wanted = [one for one in pending if one.wanted and one.relation == NEAR and one.involves(OPPONENT)]
    hides = [all(any(_hides(one) for one in option) for option in options) for options in goals]
    if len(goals) != 1 or not all(hides) or not wanted or len(wanted) < len(pending):
        return None
    places = [senses.places[k] for one in pursuit.literals if one.relation == NEAR for k in _objects(pursuit, one)]
    x, y = (sum(place[axis] for place in places) / max(len(places), 1) for axis in (0, 1))
    if not places or max(math.hypot(place[0] - x, place[1] - y) for place in places) > _TOGETHER / 2:
        return None
    (east, north), here = _way_in(places), (senses.x, senses.y)
    stands = [(x + side * _STAND * east, y + side * _STAND * north) for side in (1.0, -1.0)]
    return Bait(x, y, min(stands, key=lambda stand: math.dist(stand, here)))


def _way_in(places: list[tuple[float, float, float]]) -> tuple[float, float]:
    """The direction (east, north) in which one comes between places; any will do for one alone."""
    (x, y), (other_x, other_y) = places[0][:2], places[-1][:2]
    length = math.hypot(other_x - x, other_y - y)
    return ((y - other_y) / length, (other_x - x) / length) if length else (1.0, 0.0)


def _hides(one: Literal) -> bool:
    """Whether another player's literal wants it out of this player's sight."""
    return one.relation == SEE and one.first == OPPONENT and one.second == ME and not one.wanted


def _objects(pursuit: Pursuit, one: Literal) -> list[int]:
    return pursuit.cast.there(min(one.first, one.second), pursuit.actor.senses)

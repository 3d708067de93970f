"""Errands: which object is brought where, so that more of an option holds."""

import math

from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.envs.xland.scripted import costs
from procgen_bench.envs.xland.scripted.literals import Literal
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.envs.xland.scripted.skills import BE, CARRY, LIFT, Intent
from procgen_bench.envs.xland.scripted.wishes import joined, object_wishes
from procgen_bench.tasks.xland.predicates.atom_table import HOLD, ME, ON, OPPONENT

#: Seconds by which an object is moved rather or less than another one: for every literal that names it (what many name
#: stays where it is, and they are brought to it), where it has to come onto a floor itself, where it is being carried
#: already, and where it is to be held in the end. A frozen object does not count as carried.
_NAMED, _FLOOR_FIRST, _CARRIED, _HELD_LAST = 3.0, 30.0, 500.0, 1000.0


def what_to_carry(pursuit: Pursuit, intent: Intent, eyes: dict[int, tuple], other_way: bool) -> Intent | None:
    """An object to be brought where more of the option's literals hold, and that place.

    Args:
        pursuit: The option.
        intent: What is being done.
        eyes: Of the other players, see :func:`~procgen_bench.envs.xland.scripted.wishes.own_wishes`.
        other_way: Whether to rather move what many literals name: the usual way has failed.
    """
    senses, pending, to_hold = pursuit.actor.senses, pursuit.pending(), pursuit.to_hold()
    found: dict[int, tuple[float, int]] = {}
    for one in pending:
        for entity in _subjects(one):
            for k in pursuit.cast.there(entity, senses):
                found[k] = _reluctance(pursuit, k, entity, pending, intent, other_way), entity
    for k, (_, entity) in sorted(found.items(), key=lambda item: item[1]):
        if k in to_hold and senses.held != k:
            return None  # it is taken first
        carried, unmet = _carry(pursuit, k, entity, pending, intent, k in to_hold, eyes)
        if unmet < sum(one.weight for one in pending if one.involves(entity)):
            return carried
    return None


def _reluctance(
    pursuit: Pursuit, k: int, entity: int, pending: list[Literal], intent: Intent, other_way: bool
) -> float:
    """Seconds that speak against moving an object."""
    named = sum(one.involves(entity) for one in pursuit.literals)
    seconds = costs.to(k, pursuit.actor.senses, pursuit.actor.navigator) + _NAMED * (-named if other_way else named)
    if any(one.relation == ON and one.involves(entity) for one in pending):
        seconds -= _FLOOR_FIRST
    frozen = int(pursuit.simulation.effects.frozen[k]) if pursuit.contends else 0
    if frozen:
        seconds += frozen * STEP_SECONDS
    elif intent.kind in (CARRY, LIFT) and intent.body == k:
        seconds -= _CARRIED
    return seconds + (_HELD_LAST if k in pursuit.to_hold() else 0.0)


def _subjects(one: Literal) -> list[int]:
    """Objects that can be moved to make a literal hold."""
    if one.relation == HOLD:
        return [one.second] if one.first == OPPONENT and not one.wanted else []
    if ME in (one.first, one.second):
        return []
    return [entity for entity in (one.first, one.second) if entity < ME]


def _carry(
    pursuit: Pursuit, k: int, entity: int, pending: list[Literal], intent: Intent, keep: bool, eyes: dict[int, tuple]
) -> tuple[Intent, float]:
    """How to bring an object where most literals hold, and the weight of those that will not."""
    senses, navigator = pursuit.actor.senses, pursuit.actor.navigator
    wishes = object_wishes(entity, k, pursuit.literals, senses, pursuit.cast, eyes)
    loyal_to = navigator.cell(intent.x, intent.y) if intent.kind == CARRY and intent.body == k else None
    row, column, _, unmet = navigator.place(
        joined(wishes), senses.radii[k], senses.halves[k], senses.rests[k], loyal_to
    )
    lifts = any(one.relation == ON and not one.wanted and one.first == entity for one in pending)
    if lifts and (row < 0 or unmet) and pursuit.may_hold(k):
        return Intent(LIFT, k), 0.0
    if row < 0:
        return Intent(BE), math.inf
    x, y, floor = navigator.middle(row, column)
    return Intent(CARRY, k, x, y, floor + senses.rests[k], keep), unmet

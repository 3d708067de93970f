"""Guarding: what a player uses its gadget on, for its goal and against those who undo it."""

import math

from procgen_bench.envs.xland.actions import LOOK_SPEEDS, TURN_SPEEDS
from procgen_bench.envs.xland.beam import BEAM_RANGE
from procgen_bench.envs.xland.gadgets import FREEZE_STEPS
from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.envs.xland.scripted.literals import Literal
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.envs.xland.scripted.skills import BE, CARRY, LIFT, TAKE, Intent
from procgen_bench.envs.xland.scripted.steering import wrap
from procgen_bench.tasks.xland.entities import FREEZE, TAG
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_FLOOR, HOLD, ME, NEAR, ON, OPPONENT, SEE

#: An object that is faster than this (metres per second) rolls or slides.
_ROLLS = 0.1
#: Steps before somebody can be tagged in which it pays to aim at where that will be.
_SOON = 6
#: Steps of a freeze that are left when it is renewed: early, because somebody may stand in the way when it ends.
_RENEWED = FREEZE_STEPS // 2
#: Steps before the gadget can be used again in which it pays to aim.
_READY = 2
#: Radians by which a player turns, and looks up or down, in a step; and steps that it takes to think of it.
_TURN, _LOOK, _AIMING = float(TURN_SPEEDS[-1]) * STEP_SECONDS, float(LOOK_SPEEDS[-1]) * STEP_SECONDS, 1
#: Metres within which another player may take an object before one has aimed at it.
_GRASP = BEAM_RANGE + 2.0
#: Angles (radians) within which another player has turned to one, and within which it tags one as soon as it is back.
_TURNED_TO, _FACES = 0.9, 0.45


def whom_to_tag(pursuit: Pursuit, pending: list[Literal]) -> int | None:
    """A body whose going would make a literal hold."""
    if pursuit.gadget != TAG:
        return None
    senses = pursuit.actor.senses
    for one in pending:
        if one.wanted:
            continue
        if OPPONENT in (one.first, one.second):
            others = pursuit.cast.there(OPPONENT, senses)
            if one.relation == HOLD:
                k = pursuit.cast.bodies(one.second)
                held = pursuit.simulation.states.held[0]
                others = [body for body in others if held[body - senses.num_objects, k].any()]
            elif one.relation == ON:
                floor = one.second - FIRST_FLOOR
                others = [body for body in others if pursuit.simulation.states.contacts[0, body, floor]]
            if others:
                return others[0]
        elif one.first < ME and not all(pursuit.may_hold(k) for k in pursuit.cast.bodies(one.first)):
            return next(iter(pursuit.cast.there(one.first, senses)), None)
    return None


def who_holds(pursuit: Pursuit, objects: list[int]) -> int | None:
    """Another player whose going would free one of some objects."""
    if pursuit.gadget != TAG or not objects:
        return None
    senses, held = pursuit.actor.senses, pursuit.simulation.states.held[0]
    holders = [body for body in senses.others if held[body - senses.num_objects, objects].any()]
    return holders[0] if holders else None


def threat(pursuit: Pursuit, intent: Intent) -> int | None:
    """What to use the gadget on meanwhile, before it breaks the goal or takes what is wanted: somebody in sight, or
    about to be taggable in sight, or an object that rolls."""
    senses = pursuit.actor.senses
    if senses.cooldown > _READY:
        return None
    fastened = _what_to_fasten(pursuit)
    if fastened is not None:
        return fastened
    if senses.held >= 0:
        return _attacker(pursuit) if pursuit.pending() or _takes_again(pursuit) else None
    rests = intent.kind == BE and not pursuit.pending()
    rivalry = any(not one.wanted and OPPONENT in (one.first, one.second) for one in pursuit.literals)
    if pursuit.gadget == TAG and (rivalry or intent.kind in (TAKE, CARRY, LIFT)):
        for body in _expected_soon(pursuit, math.inf if rests else _SOON):
            if pursuit.actor.could_hit(body):
                return body
    return _what_rolls(pursuit) if rests else None


def _what_to_fasten(pursuit: Pursuit) -> int | None:
    """An object that is where the option has it and that another player may take: frozen, it stays there."""
    senses, literals = pursuit.actor.senses, pursuit.literals
    if not pursuit.contends or pursuit.gadget != FREEZE or pursuit.pending() or senses.held in pursuit.to_hold():
        return None
    if any(one.relation == SEE and one.first == ME for one in literals):
        return None  # where it looks is not up to it
    for one in literals:
        if not one.wanted or one.relation not in (NEAR, ON):
            continue
        for k in [k for entity in (one.first, one.second) if entity < ME for k in pursuit.cast.there(entity, senses)]:
            within_reach = any(
                senses.present[body] and math.dist(senses.places[body], senses.places[k]) < _GRASP
                for body in senses.others
            )
            if within_reach and pursuit.simulation.effects.frozen[k] <= _RENEWED and pursuit.actor.could_hit(k):
                return k
    return None


def _takes_again(pursuit: Pursuit) -> bool:
    """Whether the player lets go of what it is to hold, to take it again later."""
    return pursuit.contends and pursuit.actor.senses.held in pursuit.to_hold()


def _attacker(pursuit: Pursuit) -> int | None:
    """A player that can tag this one, and turns to it: worth to let go of what is held.

    An object that is to be held, not brought, is soon taken again. So it is let go of early, for a player that is about
    to come back, or whose immunity is about to end if that player has to turn first.
    """
    if pursuit.gadget != TAG:
        return None
    senses, simulation = pursuit.actor.senses, pursuit.simulation
    world, yaws = simulation.task.world, simulation.states.player_yaws[0]
    foresees = _takes_again(pursuit)
    for body in pursuit.cast.bodies(OPPONENT) if foresees else pursuit.cast.there(OPPONENT, senses):
        other = body - senses.num_objects
        x, y, _ = senses.places[body]
        yaw, within = (yaws, _TURNED_TO) if senses.present[body] else (world.player_yaws, _FACES)
        turned = abs(wrap(math.atan2(senses.y - y, senses.x - x) - float(yaw[other]))) < within
        turning = abs(wrap(math.atan2(y - senses.y, x - senses.x) - senses.yaw)) / _TURN
        turning = max(turning, abs(senses.pitch) / _LOOK)
        waits = int(simulation.effects.gone[body]) if turned else senses.untaggable[body]
        comes = turned if waits == 0 else foresees and waits <= turning + _AIMING
        if world.player_gadgets[other] == TAG and comes and pursuit.actor.could_hit(body):
            return body
    return None


def _expected_soon(pursuit: Pursuit, steps: float) -> list[int]:
    """Other players that can be tagged within so many steps."""
    untaggable = pursuit.actor.senses.untaggable
    return [body for body in pursuit.cast.bodies(OPPONENT) if untaggable[body] <= steps]


def _what_rolls(pursuit: Pursuit) -> int | None:
    """An object of the option in motion, on which the gadget works."""
    for one in pursuit.literals:
        for entity in (one.first, one.second):
            if entity >= ME or one.relation == HOLD or one.first == ME:
                continue
            for k in pursuit.cast.there(entity, pursuit.actor.senses):
                if k == pursuit.actor.senses.held or pursuit.simulation.effects.frozen[k]:
                    continue
                moves = abs(pursuit.simulation.bodies.object_motions[k, :3]).max() > _ROLLS
                if moves and (pursuit.gadget == FREEZE or not one.wanted):
                    return k
    return None

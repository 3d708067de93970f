"""Skills: what a scripted player can set out to do.

When the player thinks, :func:`where_to` says which wishes an intent has for the place where it stands. In every step
one of the functions below has its legs, eyes, hand and gadget do what serves the intent.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.beam import BEAM_RANGE
from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.places import EYE_RISE, SIGHT, SPOT, wish
from procgen_bench.envs.xland.scripted.wishes import reach_of

#: Kinds of intents: to be at a place, to take an object, to lift one, to carry one somewhere, to use the gadget on a
#: body, to go after one.
BE, TAKE, LIFT, CARRY, AIM, PURSUE_BODY = "be", "take", "lift", "carry", "aim", "go after"
#: How far away (metres from the eye to the centre) an object is taken to be held, and to be carried about.
_HOLD_REACH, CARRY_REACH, _LEAST_REACH = 3.6, 2.1, 1.4
#: Reach (metres) to which it is shortened where something comes between: to what lies on the floor before one's feet.
_SHORTEST_REACH = 1.7
#: Pitch (radians) at which things are carried: above one's head, where they clear walls and ledges.
CARRY_PITCH = math.radians(68.0)
#: Metres of way that it is worth to be where a skill wants it, and to be in sight of what to aim at.
_WEIGHT, _SIGHT_WEIGHT = 600.0, 100.0
#: Metres within which an object has been brought where it belongs: over the ground, and above it.
_BROUGHT, _LANDED = 0.35, 0.15
#: Metres from which on what is to be taken is looked at, and by which it may be further away than planned.
_LOOKED_AT, _REACH_SLACK = 7.0, 0.4
#: Steepest look down at which something is put down (sine of its angle), and the least distance over the ground.
_STEEPEST, _LEAST_SPAN = 0.98, 0.75
#: Metres by which a player stands too close or too far to put something down: up to which it begins to, from which on
#: it steps closer or back, and within which it lowers what it holds.
_FURTHEST_OFF, _IN_PLACE, _LOWERED_WITHIN = 1.3, 0.12, 0.4
#: Steps after which an object is let go of, wherever it hangs.
_LONGEST_PLACING = 45
#: Metres that are kept from somebody who is followed.
_FOLLOWING_DISTANCE = 1.0
#: Radians off which it pays to ask what is on the axis.
_AIM_TOLERANCE = 0.25


class Intent(NamedTuple):
    """What a player sets out to do.

    Attributes:
        kind: See above.
        body: Of what.
        x, y, z: Where to bring it (metres): its centre, as it stands there.
        keep: Whether to hold it still when it is there.
        reach: How far away it may be to be taken (metres); 0: as the kind has it.
    """

    kind: str
    body: int = -1
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    keep: bool = False
    reach: float = 0.0


def where_to(intent: Intent, actor: Actor, closer: float) -> list[np.ndarray]:
    """Wishes, (1,) of dtype ``WISH`` each, for the place at which to do it; ``closer`` (1 or less) shortens the reach
    where it has failed."""
    senses = actor.senses
    if intent.kind in (TAKE, LIFT, CARRY) and senses.held != intent.body:
        reach = max(_reach(intent, actor) * closer, _SHORTEST_REACH)
        return [reach_of(tuple(senses.places[intent.body]), min(_LEAST_REACH, 0.7 * reach), reach, _WEIGHT)]
    if intent.kind == CARRY:
        length = senses.distance
        return [reach_of((intent.x, intent.y, intent.z), max(length - 0.6, 0.9), length + _REACH_SLACK, _WEIGHT)]
    if intent.kind == AIM:
        x, y, z = actor.aiming_point(intent.body)
        return [wish(SIGHT, _SIGHT_WEIGHT, x=x, y=y, z=z, rise=EYE_RISE), wish(SPOT, 0.05, x=x, y=y, radius=6.0)]
    if intent.kind == PURSUE_BODY:
        x, y, _ = senses.places[intent.body]
        return [wish(SPOT, 20.0, x=x, y=y, radius=_FOLLOWING_DISTANCE)]
    return []


def _reach(intent: Intent, actor: Actor) -> float:
    """How far away an object may be to be taken: what another carries above its head is taken from afar."""
    if intent.reach:
        return intent.reach
    from_afar = intent.kind == TAKE or actor.senses.taken[intent.body]
    return _HOLD_REACH if from_afar else CARRY_REACH


def perform_take(intent: Intent, actor: Actor) -> None:
    """Come within reach of an object, look at it, and take it."""
    senses = actor.senses
    x, y, z = senses.places[intent.body]
    actor.walk()
    away = math.dist((x, y, z), (senses.x, senses.y, senses.eye))
    if not senses.present[intent.body] or away > _LOOKED_AT or not actor.sees(intent.body):
        actor.look_ahead(0.0)
        return
    off = actor.look_at(*actor.expected(intent.body))
    if (
        off < _AIM_TOLERANCE + senses.radii[intent.body] / max(away, 0.5)
        and away < _reach(intent, actor) + _REACH_SLACK
    ):
        body, distance = actor.aimed_at()
        if body == intent.body and distance <= BEAM_RANGE:
            actor.grab()


def perform_lift(intent: Intent, actor: Actor) -> None:
    """Hold an object up in the air."""
    if actor.senses.held != intent.body:
        perform_take(intent, actor)
        return
    actor.grab()
    actor.walk()
    actor.look_ahead(CARRY_PITCH)


def perform_carry(intent: Intent, actor: Actor, placing: int) -> tuple[int, bool]:
    """Bring an object somewhere and put it down.

    Args:
        intent: What and where.
        actor: Who.
        placing: Steps for which it has been putting it down; 0: it is still on the way.

    Returns:
        ``placing`` after this step, and whether the object is there.
    """
    senses = actor.senses
    if senses.held != intent.body:
        perform_take(intent, actor)
        return 0, False
    actor.grab()
    target = (intent.x, intent.y, intent.z)
    drop, length = senses.eye - intent.z, max(senses.distance, 1e-6)
    sine = min(max(drop / length, -_STEEPEST), _STEEPEST)
    span = max(length * math.sqrt(1.0 - sine * sine), _LEAST_SPAN)
    off = senses.away(intent.x, intent.y) - span
    near_enough = -_FURTHEST_OFF < off < (_FURTHEST_OFF if placing else _FURTHEST_OFF / 2)
    sees = actor.navigator.sees((senses.x, senses.y, senses.eye), target)
    if not (near_enough and sees):
        actor.look_ahead(CARRY_PITCH)
        if actor.walk() or not sees or abs(off) > _FURTHEST_OFF:
            return 0, False
    yaw = math.atan2(intent.y - senses.y, intent.x - senses.x)
    if abs(off) > _IN_PLACE:
        actor.step_towards(intent.x - span * math.cos(yaw), intent.y - span * math.sin(yaw), True)
    actor.look(yaw, -math.asin(sine) if abs(off) < _LOWERED_WITHIN else CARRY_PITCH)
    x, y, z = senses.places[intent.body]
    there = math.hypot(x - intent.x, y - intent.y) < _BROUGHT and abs(z - intent.z) < _LANDED
    return placing + 1, there or placing >= _LONGEST_PLACING


def perform_aim(intent: Intent, actor: Actor) -> None:
    """Use the gadget on a body as soon as it is on the view axis."""
    senses = actor.senses
    actor.walk()
    off = actor.look_at(*actor.aiming_point(intent.body))
    waits = max(senses.cooldown, senses.untaggable[intent.body])
    if senses.present[intent.body] and waits <= 1 and off < _AIM_TOLERANCE:
        body, _ = actor.aimed_at()
        if body == intent.body:
            actor.use_gadget()
        elif body >= 0 and actor.contends:
            actor.step_aside(body, intent.body)


def perform_pursuit(intent: Intent, actor: Actor) -> None:
    """Stay close to a body, and look at it."""
    actor.walk()
    if actor.sees(intent.body) and actor.senses.present[intent.body]:
        actor.look_at(*actor.senses.places[intent.body])
    else:
        actor.look_ahead(0.0)

"""Watching: to have in one's picture what is to be seen, and not what is not."""

import math

import numpy as np

from procgen_bench.envs.xland.scripted.gaze import best_gaze
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.tasks.xland.predicates.atom_table import ME, SEE

#: Metres around a thing within which none of its outermost points is to be in the picture.
_MARGIN = 0.3
#: Part of an object's radius by which its corners lie further out.
_CORNERS = 1.6


def watch(pursuit: Pursuit) -> bool:
    """Look where the option has a player look, and whether it has."""
    things = _to_see(pursuit)
    if things:
        pursuit.actor.look(*_direction(pursuit, things))
    return bool(things)


def _to_see(pursuit: Pursuit) -> list[tuple]:
    """What is to be in the picture and what is not: centre, radius, and 1 or -1."""
    senses, found = pursuit.actor.senses, []
    for one in pursuit.literals:
        if one.relation != SEE or one.first != ME:
            continue
        bodies = pursuit.cast.there(one.second, senses)
        for body in bodies[:1] if one.wanted else bodies:
            found.append((*senses.places[body], senses.radii[body] + _MARGIN, 1.0 if one.wanted else -1.0))
    return found


def _direction(pursuit: Pursuit, things: list[tuple]) -> tuple[float, float]:
    """Yaw and pitch (radians) of the best direction: straight at a single thing, next to what is held."""
    senses = pursuit.actor.senses
    if len(things) == 1 and things[0][-1] > 0 and senses.held < 0:
        x, y, z = things[0][:3]
        return math.atan2(y - senses.y, x - senses.x), math.atan2(z - senses.eye, senses.away(x, y))
    held_angle = 0.0
    if senses.held >= 0:
        held_angle = math.atan2(senses.radii[senses.held] * _CORNERS, max(senses.distance, 0.5))
    centre = np.array([senses.x, senses.y, senses.z])
    return best_gaze(centre, senses.yaw, senses.pitch, np.array(things), held_angle)

"""What it takes to make a literal hold: a guess in seconds, by which options and ways to them are compared."""

import math

import numpy as np

from procgen_bench.envs.xland.actions import WALK_SPEED
from procgen_bench.envs.xland.scripted.literals import Cast, Literal
from procgen_bench.envs.xland.scripted.navigation import Navigator
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_FLOOR, HOLD, ME, NEAR, ON, OPPONENT, SEE

#: Seconds for taking an object, for taking and putting one down, for turning, for tagging.
_TAKING, _HANDLING, _TURNING, _TAGGING = 1.5, 5.0, 1.0, 3.0
#: Seconds for what is up to others, and for what can hardly be done.
_UP_TO_OTHERS, _HARDLY = 20.0, 40.0
#: Seconds for which others may hold what one wants to have.
_CONTESTED = 10.0
#: Seconds that it takes longer where no way leads.
_NO_WAY = 15.0


def seconds(one: Literal, senses: Senses, navigator: Navigator, cast: Cast, tags: bool) -> float:
    """A guess at how long it takes a player, who ``tags`` or not, to make a literal hold that does not."""
    first, second = cast.there(one.first, senses), cast.there(one.second, senses)
    if one.relation == ON:
        return _floor_seconds(one, first, senses, navigator, tags)
    if not first or not second:
        return _HANDLING  # gone: it comes back
    a, b = first[0], second[0]
    if one.relation == HOLD:
        if one.first == ME:
            contested = _CONTESTED if senses.taken[b] else 0.0
            return to(b, senses, navigator) + _TAKING + contested if one.wanted else 0.3
        return _HARDLY if one.wanted else (_TAGGING if tags else to(b, senses, navigator) + _HANDLING)
    if one.relation == NEAR and one.second == ME:
        return to(a, senses, navigator) if one.wanted else _TURNING
    if one.relation == SEE and one.first == ME:
        return _TURNING + to(b, senses, navigator) / 4 if one.wanted else _TURNING
    if one.relation == SEE and one.second == ME:
        return _TURNING + to(a, senses, navigator) / 2 if one.wanted else _HANDLING
    if OPPONENT in (one.first, one.second):
        if tags and not one.wanted:
            return _TAGGING
        thing, other = (b, a) if one.first == OPPONENT else (a, b)
        return to(thing, senses, navigator) + between(thing, other, senses) + 1.5 * _HANDLING
    return min(to(a, senses, navigator), to(b, senses, navigator)) + between(a, b, senses) + _HANDLING


def to(body: int, senses: Senses, navigator: Navigator) -> float:
    """Seconds of way to a body."""
    x, y, _ = senses.places[body]
    length = navigator.way_length(x, y)
    return length / WALK_SPEED if math.isfinite(length) else _NO_WAY + senses.away(x, y) / WALK_SPEED


def between(a: int, b: int, senses: Senses) -> float:
    """Seconds of straight way between two bodies."""
    return math.dist(senses.places[a][:2], senses.places[b][:2]) / WALK_SPEED


def _floor_seconds(one: Literal, bodies: list[int], senses: Senses, navigator: Navigator, tags: bool) -> float:
    if one.first == OPPONENT:
        return _UP_TO_OTHERS if one.wanted else (_TAGGING if tags else _HARDLY)
    if not bodies:
        return _HANDLING
    terrain = navigator.terrain
    cells = terrain.colours == one.second - FIRST_FLOOR
    if one.first == ME:
        if not one.wanted:
            cells = ~cells
        least = navigator.distances[cells].min() if cells.any() else np.inf
        return float(least) / WALK_SPEED if np.isfinite(least) else _NO_WAY + _HARDLY
    carried = to(bodies[0], senses, navigator) + _HANDLING
    if not one.wanted:
        return carried
    rows, columns = np.nonzero(cells & np.isfinite(navigator.distances))
    if not len(rows):
        return _HARDLY + carried
    width, depth = terrain.cell
    x, y, _ = senses.places[bodies[0]]
    return carried + float(np.hypot((columns + 0.5) * width - x, (rows + 0.5) * depth - y).min()) / WALK_SPEED

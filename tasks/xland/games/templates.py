"""Games from templates, from easy to hard: a literal about oneself, one about things, two together, two options.

Of the goals of drawn games most speak of objects among themselves, and random play meets them hardly ever. What a
learner needs first is here.
"""

from collections.abc import Callable

import numpy as np

from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, FLOOR_NAMES, ME, OBJECTS, Atom
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal

#: A literal: an atom's place in ``ATOMS``, and 1, or -1 where it is to be false.
Literal = tuple[int, int]


def _near_me(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("near", thing, ME)], 1


def _seen_by_me(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("see", ME, thing)], 1


def _held_by_me(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("hold", ME, thing)], 1


def _stood_on(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("on", ME, floor)], 1


def _carried_to(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("on", thing, floor)], 1


def _brought_together(thing: str, other: str, floor: str) -> Literal:
    first, second = sorted((thing, other), key=OBJECTS.index)
    return ATOM_INDEX[Atom("near", first, second)], 1


def _cleared_from(thing: str, other: str, floor: str) -> Literal:
    return ATOM_INDEX[Atom("on", thing, floor)], -1


def _in_sight_of_another(thing: str, other: str, floor: str) -> Literal:
    first, second = sorted((thing, other), key=OBJECTS.index)
    return ATOM_INDEX[Atom("see", first, second)], 1


def _out_of_sight_of_another(thing: str, other: str, floor: str) -> Literal:
    return _in_sight_of_another(thing, other, floor)[0], -1


#: By the name of a skill: its literal, of an object, another one and a floor.
SKILLS: dict[str, Callable[[str, str, str], Literal]] = {
    "see": _seen_by_me,
    "near": _near_me,
    "hold": _held_by_me,
    "stand": _stood_on,
    "carry": _carried_to,
    "gather": _brought_together,
    "clear": _cleared_from,
}
#: With two that searched games often ask for, and that are in neither templates nor the suite of skills.
ALL_SKILLS = SKILLS | {"expose": _in_sight_of_another, "hide": _out_of_sight_of_another}
#: Skills of which goals of one literal are made in the first two stages: about oneself, about things.
ABOUT_ONESELF, ABOUT_THINGS = ("see", "near", "hold", "stand"), ("carry", "gather", "clear")
#: The stages, and how often each is drawn among those that are.
STAGES = ("oneself", "things", "pairs", "options")
_WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])


def template_game(rng: np.random.Generator, players: int, stages: int = len(STAGES)) -> Game:
    """A game whose goals are all of one stage, drawn from the easiest ``stages`` of ``STAGES``.

    Args:
        rng: The random generator.
        players: 1 to 3.
        stages: 1 to 4.
    """
    weights = _WEIGHTS[:stages]
    stage = int(rng.choice(stages, p=weights / weights.sum()))
    return Game(tuple(_template_goal(rng, STAGES[stage]) for _ in range(players)))


def skill_game(rng: np.random.Generator, players: int, skill: str) -> Game:
    """A game whose goals all are of one skill, one of ``ALL_SKILLS``."""
    return Game(tuple(_goal([[_literal(rng, skill)]]) for _ in range(players)))


def _template_goal(rng: np.random.Generator, stage: str) -> Goal:
    if stage == "oneself":
        return _goal([[_literal(rng, str(rng.choice(ABOUT_ONESELF)))]])
    if stage == "things":
        return _goal([[_literal(rng, str(rng.choice(ABOUT_THINGS)))]])
    if stage == "pairs":
        return _goal([_pair(rng)])
    first, second = (_pair(rng) if rng.random() < 0.5 else [_any_literal(rng)] for _ in range(2))
    return _goal([first, second]) if sorted(first) != sorted(second) else _template_goal(rng, stage)


def _pair(rng: np.random.Generator) -> list[Literal]:
    """Two literals of different skills, about different atoms."""
    skills = rng.choice(list(SKILLS), 2, replace=False)
    first, second = (_literal(rng, str(skill)) for skill in skills)
    return [first, second] if first[0] != second[0] else _pair(rng)


def _any_literal(rng: np.random.Generator) -> Literal:
    return _literal(rng, str(rng.choice(list(SKILLS))))


def _literal(rng: np.random.Generator, skill: str) -> Literal:
    thing, other = rng.choice(len(OBJECTS), 2, replace=False)
    return ALL_SKILLS[skill](OBJECTS[thing], OBJECTS[other], FLOOR_NAMES[int(rng.integers(len(FLOOR_NAMES)))])


def _goal(options: list[list[Literal]]) -> Goal:
    matrix = np.zeros((len(options), len(ATOMS)), np.int8)
    for row, option in zip(matrix, options):
        for place, sign in option:
            row[place] = sign
    return Goal(matrix)

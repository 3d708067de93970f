"""Games by the letter, from their text alone: every predicate state, every recolouring, in plain Python.

A truth table is an integer whose bit s tells the truth in predicate state s.
"""

from fractions import Fraction
from functools import cache, reduce
from itertools import permutations, product
from math import prod
from operator import and_, or_

COLOURS, SHAPES = ("black", "purple", "yellow"), ("cube", "sphere", "pyramid")

#: What each of the 216 recolourings makes of the nine objects.
RECOLOURINGS = [
    {f"{old} {shape}": f"{new} {shape}" for shape, perm in zip(SHAPES, perms) for old, new in zip(COLOURS, perm)}
    for perms in product(permutations(COLOURS), repeat=3)
]


def read(text: str) -> list[list[list[tuple[bool, str, str, str]]]]:
    """Goals, options, and literals of a game: whether an atom is wanted, its relation, its two entities."""
    goals = []
    for line in text.splitlines():
        options = [option.split("&") for option in line.split("|")]
        goals.append([[read_literal(literal.strip()) for literal in option] for option in options])
    return goals


def read_literal(text: str) -> tuple[bool, str, str, str]:
    """Whether the atom is wanted, its relation, its two entities."""
    relation, arguments = text.removeprefix("~").removesuffix(")").split("(")
    return (not text.startswith("~"), relation, *arguments.split(","))


def recoloured_goals(goal) -> list:
    """All different recolourings of a goal."""
    different = {
        tuple(tuple((wanted, kind, new.get(a, a), new.get(b, b)) for wanted, kind, a, b in option) for option in goal)
        for new in RECOLOURINGS
    }
    return sorted(different)


def facts_of(atom: tuple[str, str, str], player: int, players: int) -> list[tuple[str, str, str]]:
    """What of the world an atom speaks of, seen by a player: true where one of these facts is."""
    others = [f"P{number}" for number in range(players) if number != player]
    firsts, seconds = ({"me": [f"P{player}"], "opponent": others}.get(entity, [entity]) for entity in atom[1:])
    return [fact(atom[0], first, second) for first in firsts for second in seconds]


def fact(relation: str, first: str, second: str) -> tuple[str, str, str]:
    """A relation of two things, in one order where both orders say the same."""
    directed = relation == "hold" or (relation == "see" and "P" in first + second)
    return (relation, first, second) if directed else (relation, *sorted((first, second)))


@cache
def truth_table(number: int, count: int) -> int:
    """The table of fact ``number`` of ``count``: in state s it is true where bit ``number`` of s is 1."""
    width = 1 << number
    table = (1 << width) - 1 << width
    for doubling in range(number + 1, count):
        table |= table << (1 << doubling)
    return table


def resolved(goal, player: int, players: int) -> list:
    """The options of a player's goal; a literal is whether it is wanted, and the facts of which one makes it true."""
    return [[(wanted, facts_of(atom, player, players)) for wanted, *atom in option] for option in goal]


def truth_tables(goals: list) -> tuple[list[int], int]:
    """Truth tables of resolved goals over the facts that they use together, and how many states there are."""
    used = sorted({fact for goal in goals for option in goal for _, facts in option for fact in facts})
    tables = {fact: truth_table(number, len(used)) for number, fact in enumerate(used)}
    states = 2 ** len(used)

    def literal(wanted, facts):
        table = reduce(or_, (tables[fact] for fact in facts))
        return table if wanted else (1 << states) - 1 ^ table

    options = [[reduce(and_, (literal(*each) for each in option)) for option in goal] for goal in goals]
    return [reduce(or_, goal) for goal in options], states


def reward_tables(goals: list) -> tuple[list[int], int]:
    """Truth tables of the goals of a game, and how many states there are."""
    return truth_tables([resolved(goal, player, len(goals)) for player, goal in enumerate(goals)])


def cooperativeness(goals: list) -> Fraction:
    """States that reward all, of those that reward one."""
    tables, _ = reward_tables(goals)
    return Fraction(reduce(and_, tables).bit_count(), reduce(or_, tables).bit_count())


def properties(text: str, recolour_first: bool = False) -> tuple[Fraction, Fraction, Fraction, Fraction, bool]:
    """Exploration difficulty, cooperativeness, competitiveness, balance, and whether a goal is trivial.

    Where the first goal keeps its colours, every game of recoloured goals is there in other colours.
    """
    goals = read(text)
    tables, states = reward_tables(goals)
    difficulty = 1 - Fraction(reduce(or_, tables).bit_count(), states)
    coop = cooperativeness(goals)
    first = recoloured_goals(goals[0]) if recolour_first else [goals[0]]
    balance = max(cooperativeness(chosen) for chosen in product(first, *(recoloured_goals(goal) for goal in goals[1:])))
    return difficulty, coop, 1 - coop, balance, any(table.bit_count() in (0, states) for table in tables)


def work(text: str) -> int:
    """At most so many pairs of a predicate state and a recoloured game are looked at by :func:`properties`."""
    goals = read(text)
    options = [option for player, goal in enumerate(goals) for option in resolved(goal, player, len(goals))]
    most_facts = sum(len(facts) for option in options for _, facts in option)
    return prod(len(recoloured_goals(goal)) for goal in goals[1:]) << most_facts


def distance(text: str, other: str) -> Fraction:
    """The mean over players of the fractions of states in which their goals differ."""
    pairs = list(zip(read(text), read(other)))
    differing = Fraction(0)
    for player, pair in enumerate(pairs):
        (table, other_table), states = truth_tables([resolved(goal, player, len(pairs)) for goal in pair])
        differing += Fraction((table ^ other_table).bit_count(), states)
    return differing / len(pairs)

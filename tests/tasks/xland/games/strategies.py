"""Hypothesis strategies of goals and games, and random games of many kinds."""

import numpy as np
from hypothesis import strategies as st

from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import sample_game, sample_predicates
from procgen_bench.tasks.xland.games.goal import Goal


def goal_of(options: list[dict[int, int]]) -> Goal:
    """The goal whose options map places of atoms to 1 or -1."""
    matrix = np.zeros((len(options), len(ATOMS)), np.int8)
    for row, option in zip(matrix, options):
        row[list(option)] = list(option.values())
    return Goal(matrix)


ANY_ATOM = st.integers(0, len(ATOMS) - 1)


def goals(atoms=ANY_ATOM, max_options: int = 4, max_conjunctions: int = 4):
    """Goals over ``atoms``, a strategy of places in ``ATOMS``."""
    option = st.dictionaries(atoms, st.sampled_from([1, -1]), min_size=1, max_size=max_conjunctions)
    options = st.lists(option, min_size=1, max_size=max_options, unique_by=lambda option: frozenset(option.items()))
    return options.map(goal_of)


@st.composite
def games_over_few_atoms(draw, players: int, count: int) -> list[Game]:
    """So many games that share at most five atoms."""
    atoms = st.sampled_from(draw(st.lists(st.integers(0, len(ATOMS) - 1), min_size=1, max_size=5, unique=True)))
    return [Game(tuple(draw(goals(atoms, 3, 3)) for _ in range(players))) for _ in range(count)]


def random_games(rng: np.random.Generator, count: int, players: int) -> list[Game]:
    """Games drawn naively, and in turn over few predicates of which some are recolourings of others."""
    games = []
    for number in range(count):
        options = int(rng.integers(1, 4))
        if number % 2:
            games.append(sample_game(rng, options, int(rng.integers(1, 4)), players))
        else:
            predicates = sample_predicates(rng)[: 6 if players == 2 else 4]
            games.append(Game(tuple(random_goal(rng, predicates, options) for _ in range(players))))
    return games


def random_goal(rng: np.random.Generator, predicates: np.ndarray, options: int) -> Goal:
    """A goal of so many different options of one to three of ``predicates``."""
    drawn: list[dict[int, int]] = []
    while len(drawn) < options:
        chosen = rng.choice(predicates, rng.integers(1, 4), replace=False).tolist()
        option = {atom: int(sign) for atom, sign in zip(chosen, rng.choice([-1, 1], len(chosen)))}
        if option not in drawn:
            drawn.append(option)
    return goal_of(drawn)

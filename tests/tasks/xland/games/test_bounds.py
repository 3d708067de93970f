"""Bounds on the number of games."""

from itertools import combinations, product

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.bounds import games_lower_bound, games_upper_bound


def test_the_paper_s_example():
    """3 options of 3 predicates out of 200: more than 10^20 goals, more than 10^40 games of two."""
    assert games_lower_bound(200, 3, 3, 1) > 10**20 and games_lower_bound(200, 3, 3, 2) > 10**40
    assert games_lower_bound(200, 3, 3, 2) == games_lower_bound(200, 3, 3, 1) ** 2


def different_goals(atoms: int, options: int, conjunctions: int) -> int:
    """Number of different truth tables of goals of just that size, counted by making them all."""
    states = list(product([False, True], repeat=atoms))
    literals = list(product(range(atoms), [False, True]))
    rows = [
        tuple(all(state[a] == w for a, w in chosen) for state in states)
        for chosen in combinations(literals, conjunctions)
    ]
    return len({tuple(map(any, zip(*chosen))) for chosen in product(rows, repeat=options)})


@pytest.mark.parametrize(("atoms", "options", "conjunctions"), [(2, 1, 1), (3, 2, 1), (4, 2, 2), (3, 1, 2), (3, 3, 1)])
def test_between_the_bounds_lies_the_number(atoms, options, conjunctions):
    goals = different_goals(atoms, options, conjunctions)
    for players in (1, 2):
        bounds = [bound(atoms, options, conjunctions, players) for bound in (games_lower_bound, games_upper_bound)]
        assert bounds[0] <= goals**players <= bounds[1]


def test_by_hand():
    assert games_lower_bound(4, 2, 2, 1) == (6 * 4) * (1 * 4) // 2
    assert games_upper_bound(4, 2, 2, 2) == (28**2) ** 2
    assert games_lower_bound(3, 2, 2, 1) == 0, "two options of two take four atoms"


@pytest.mark.parametrize("place", range(4))
def test_arguments_are_checked(place):
    arguments = [2, 1, 1, 1]
    arguments[place] = 0
    for bound in (games_lower_bound, games_upper_bound):
        with pytest.raises(InvalidTaskError, match="is 0, expected 1 or more"):
            bound(*arguments)

"""Properties and distances are those of all predicate states and all recolourings, looked at one by one.

Bounds on the number of games.

Distances are metrics, and properties change no faster than they (3.2.2).
"""

from collections import defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, ME, OPPONENT
from procgen_bench.tasks.xland.games.bounds import games_lower_bound, games_upper_bound
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.games.properties import (
    competitiveness_and_balance,
    game_distance,
    game_properties,
    goal_distance,
)
from tests.tasks.xland.games import reference_game as reference
from tests.tasks.xland.games.strategies import games_over_few_atoms, goal_of, random_games


def assert_properties_are_exact(game: Game, recolour_first: bool = False) -> None:
    # Equal, not nearly so: a correctly rounded quotient of whole numbers is the float of the fraction.
    expected = reference.properties(str(game), recolour_first)
    assert game_properties(game) == tuple(map(float, expected[:4])) + expected[4:], str(game)


def assert_random_games_are_exact(seed: int, players: int, count: int, work: int) -> None:
    """Games of three players can have 2^35 pairs of a state and a recoloured game: those of over ``work`` stay out."""
    games = random_games(np.random.default_rng(seed), count, players)
    counted = [game for game in games if reference.work(str(game)) <= work]
    assert len(counted) >= count / 3
    for game in counted:
        assert_properties_are_exact(game)


@pytest.mark.parametrize(("players", "count", "work"), [(2, 300, 2**50), (3, 60, 2**22)])
def test_random_games(players, count, work):
    assert_random_games_are_exact(players, players, count, work)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "count", "work"), [(2, 10_000, 2**50), (3, 1_000, 2**24)])
def test_many_random_games(players, count, work):
    assert_random_games_are_exact(10 + players, players, count, work)


def test_the_first_goal_may_keep_its_colours():
    rng = np.random.default_rng(5)
    for game in random_games(rng, 60, 2):
        small = Game(tuple(parse_goal(str(goal).partition(" | ")[0].partition(" & ")[0]) for goal in game.goals))
        assert_properties_are_exact(small, recolour_first=True)


def test_games_of_one_player():
    game = parse_game("hold(me,black cube) & ~on(me,blue floor) | see(me,black cube)")
    assert_properties_are_exact(game)
    assert game_properties(game) == (3 / 8, 1, 0, 1, False)


def test_twelve_atoms_each():
    rng = np.random.default_rng(3)
    for _ in range(2):
        shuffled = rng.permutation(len(ATOMS))[:12].reshape(4, 3).tolist()
        signs = rng.choice([-1, 1], (2, 4, 3)).tolist()
        goals = [goal_of([dict(zip(atoms, of)) for atoms, of in zip(shuffled, side)]) for side in signs]
        tables, states = reference.reward_tables(reference.read(str(Game(tuple(goals)))))
        both, some = (tables[0] & tables[1]).bit_count(), (tables[0] | tables[1]).bit_count()
        measured = game_properties(Game(tuple(goals)))
        assert measured[:3] == (1 - some / states, both / some, (some - both) / some)


@pytest.mark.parametrize("players", [2, 3])
def test_trivial_goals(players):
    always, sometimes = "on(me,blue floor) | ~on(me,blue floor)", "on(opponent,blue floor) | see(me,black cube)"
    assert game_properties(parse_game("\n".join([sometimes] * (players - 1) + [always]))).trivial
    assert not game_properties(parse_game("\n".join([sometimes] * players))).trivial


@settings(max_examples=50)
@given(st.data(), st.sampled_from([1, 2, 3]))
def test_distances(data, players):
    if players == 1:
        texts = st.sampled_from(["see(me,black cube)", "~see(me,black cube) | on(me,blue floor)", "on(me,blue floor)"])
        first, second = parse_game(data.draw(texts)), parse_game(data.draw(texts))
    else:
        first, second = data.draw(games_over_few_atoms(players, 2))
    assert game_distance(first, second) == pytest.approx(float(reference.distance(str(first), str(second))), abs=1e-15)
    goals = zip(first.goals, second.goals)
    assert game_distance(first, second) == pytest.approx(
        sum(goal_distance(*pair, players=players) for pair in goals) / players, abs=1e-15
    )


def test_many_games_at_once():
    games = random_games(np.random.default_rng(0), 20, 2)
    measured = competitiveness_and_balance(games)
    assert measured.shape == (20, 2) and competitiveness_and_balance([]).shape == (0, 2)
    assert measured.tolist() == [[game_properties(game)[2], game_properties(game)[3]] for game in games]


def test_games_of_other_numbers_of_players_have_no_distance():
    two, three = (parse_game("\n".join(["see(me,black cube)"] * players)) for players in (2, 3))
    with pytest.raises(InvalidTaskError, match="players of the other game is 3, expected 2"):
        game_distance(two, three)


def test_games_too_large_to_be_counted_are_refused():
    wide = goal_of([dict.fromkeys(range(30), 1)])
    with pytest.raises(InvalidTaskError, match="number of atoms, each player's apart is 60"):
        game_properties(Game((wide, wide)))
    long = goal_of([{atom: 1} for atom in range(13)])
    with pytest.raises(InvalidTaskError, match="at most 4095 products"):
        game_properties(Game((long, long)))
    # In a game of three every hold(opponent,...) is one of two: thirteen of them are 2^13 products.
    opponents = [number for number, atom in enumerate(ATOMS) if "opponent" in atom and "me" not in atom][:13]
    with pytest.raises(InvalidTaskError, match="at most 4095 products"):
        game_properties(Game((goal_of([dict.fromkeys(opponents, 1)]),) * 3))


def test_twelve_options_are_not_too_many():
    floors = [number for number, atom in enumerate(ATOMS) if atom.relation == "on" and atom.first in (ME, OPPONENT)]
    goal = goal_of([{atom: 1} for atom in floors])
    assert len(floors) == 12
    measured = game_properties(Game((goal, goal)))
    assert measured.cooperativeness == measured.balance == 1 and measured.exploration_difficulty == 2**-12


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


ROUNDING = 1e-12


@settings(max_examples=50)
@given(games_over_few_atoms(players=2, count=3))
def test_distance_is_a_metric(games):
    first, second, third = games
    assert game_distance(first, first) == 0
    assert game_distance(first, second) == game_distance(second, first)
    assert game_distance(first, third) <= game_distance(first, second) + game_distance(second, third) + ROUNDING


def check_exploration_difficulty(first: Game, second: Game) -> None:
    """A state counts for another difficulty only where some player's reward is another: n players, n times the mean."""
    change = abs(game_properties(first).exploration_difficulty - game_properties(second).exploration_difficulty)
    assert change <= first.num_players * game_distance(first, second) + ROUNDING


@settings(max_examples=50)
@given(games_over_few_atoms(players=2, count=2))
def test_exploration_difficulty_is_smooth_for_two(games):
    check_exploration_difficulty(*games)


@settings(max_examples=50)
@given(games_over_few_atoms(players=3, count=2))
def test_exploration_difficulty_is_smooth_for_three(games):
    check_exploration_difficulty(*games)


def test_no_smaller_constant_serves_exploration_difficulty():
    a, b, c = (f"near(black {shape},purple {shape})" for shape in ("cube", "sphere", "pyramid"))
    nowhere_else = parse_game(f"{a} & {b}\n{a} & {b}")
    elsewhere = parse_game(f"{a} & {b} | {c} & {a} & ~{b}\n{a} & {b} | {c} & ~{a} & {b}")
    change = game_properties(nowhere_else).exploration_difficulty - game_properties(elsewhere).exploration_difficulty
    assert change == 2 * game_distance(nowhere_else, elsewhere) == 1 / 4


def small_goals() -> list:
    """All goals of one or two options, each of one or two of three atoms."""
    literals = [(atom, sign) for atom in range(3) for sign in (1, -1)]
    pairs = [dict(pair) for pair in combinations(literals, 2) if pair[0][0] != pair[1][0]]
    options = [{atom: sign} for atom, sign in literals] + pairs
    return [goal_of([option]) for option in options] + [goal_of(list(two)) for two in combinations(options, 2)]


def test_cooperativeness_is_smooth_where_exploration_difficulty_stays():
    """1 / (1 - k)-Lipschitz among goals that with one co-player's goal have exploration difficulty k; so is comp."""
    goals = small_goals()
    reached = False
    for co_goal in goals[::24]:
        by_difficulty = defaultdict(list)
        for goal in goals:
            properties = game_properties(Game((goal, co_goal)))
            by_difficulty[properties.exploration_difficulty].append((goal, properties))
        for difficulty, alike in by_difficulty.items():
            for (goal, properties), (other, other_properties) in combinations(alike, 2):
                bound = goal_distance(goal, other) / (1 - difficulty)
                change = abs(properties.cooperativeness - other_properties.cooperativeness)
                assert change <= bound + ROUNDING
                assert abs(properties.competitiveness - other_properties.competitiveness) <= bound + ROUNDING
                reached = reached or 0 < bound <= change + ROUNDING
    assert reached, "the bound is met by some pair"

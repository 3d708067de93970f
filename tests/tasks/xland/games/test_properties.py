"""Properties and distances are those of all predicate states and all recolourings, looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, ME, OPPONENT
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

"""Distances are metrics, and properties change no faster than they (3.2.2)."""

from collections import defaultdict
from itertools import combinations

from hypothesis import given, settings

from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.properties import game_distance, game_properties, goal_distance
from tests.tasks.xland.games.strategies import games_over_few_atoms, goal_of

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

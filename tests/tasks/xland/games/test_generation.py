"""Games by naive sampling and by local search."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.generation import add_third_player, generate_game, sample_game, sample_predicates
from procgen_bench.tasks.xland.games.overlaps import overlaps
from procgen_bench.tasks.xland.games.properties import competitiveness_and_balance, game_properties
from procgen_bench.tasks.xland.games.recolouring import RECOLOURED_ATOMS
from procgen_bench.tasks.xland.games.search import count_modifications, longest_option, modify

SIZES = [(options, conjunctions) for options in (1, 2, 3) for conjunctions in (1, 2, 3)]


def lengths(game: Game) -> list[list[int]]:
    """Numbers of predicates in the options of every goal."""
    return [np.count_nonzero(goal.matrix, axis=1).tolist() for goal in game.goals]


@pytest.mark.parametrize(("options", "conjunctions"), SIZES)
@pytest.mark.parametrize("players", [2, 3])
def test_sampled_games(options, conjunctions, players):
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(20):
        game = sample_game(rng, options, conjunctions, players)
        assert game.num_players == players and all(len(of_goal) == options for of_goal in lengths(game))
        assert len(set(np.concatenate([goal.atoms for goal in game.goals]))) <= 6
        seen.update(length for of_goal in lengths(game) for length in of_goal)
    assert seen == set(range(1, conjunctions + 1))


def test_sampling_uses_all_atoms():
    rng = np.random.default_rng(0)
    games = [sample_game(rng, 3, 3) for _ in range(500)]
    assert {atom for game in games for goal in game.goals for atom in goal.atoms} == set(range(len(ATOMS)))


@pytest.mark.parametrize(("options", "conjunctions"), SIZES)
def test_generated_games(options, conjunctions):
    rng = np.random.default_rng(options + 10 * conjunctions)
    for target in ((0.5, 0.5), (1, 1), (0, 1)):
        game = generate_game(rng, options, conjunctions, *target)
        assert game.num_players == 2 and not game_properties(game).trivial
        assert all(len(of_goal) == options for of_goal in lengths(game))
        assert max(map(max, lengths(game))) == conjunctions
        assert len(set(np.concatenate([goal.atoms for goal in game.goals]))) <= 6


def test_search_comes_close_where_sampling_does_not():
    rng = np.random.default_rng(0)
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    targets = np.array([(comp, balance) for comp in levels for balance in levels if balance >= 1 - comp])
    searched = competitiveness_and_balance(generate_game(rng, 3, 3, *target) for target in targets.tolist())
    off = np.hypot(*(searched - targets).T)
    assert off.mean() < 0.05 and off.max() < 0.2
    sampled = competitiveness_and_balance(sample_game(rng, 3, 3) for _ in range(300))
    nearest = np.hypot(*(sampled[:, np.newaxis] - targets).transpose(2, 0, 1)).min(axis=0)
    assert nearest.max() > 0.5 and nearest.mean() > 3 * off.mean(), "naive sampling leaves a part of the plane empty"


@pytest.mark.parametrize("players", [2, 3])
def test_the_seed_decides(players):
    games = [generate_game(np.random.default_rng(seed), 2, 3, 0.7, 0.6, players) for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize(("options", "conjunctions"), SIZES)
def test_games_of_three(options, conjunctions):
    rng = np.random.default_rng(7)
    two = generate_game(rng, options, conjunctions, 0.5, 0.8)
    pool = {row.tobytes() for goal in two.goals for row in (*goal.matrix, *-goal.matrix)}
    third_places = set()
    for _ in range(12):
        three = add_third_player(rng, two)
        assert three.num_players == 3 and not game_properties(three).trivial
        new = list(three.goals)
        for goal in two.goals:
            new.remove(goal)
        assert len(new[0].matrix) == options and {row.tobytes() for row in new[0].matrix} <= pool
        third_places.add(max(place for place, goal in enumerate(three.goals) if goal == new[0]))
    assert len(third_places) > 1, "players change places"


def test_only_proper_games_get_a_third_player():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidTaskError, match="two players, no goal trivial"):
        add_third_player(rng, parse_game("see(me,opponent)\non(me,blue floor) | ~on(me,blue floor)"))
    with pytest.raises(InvalidTaskError, match="two players, no goal trivial"):
        add_third_player(rng, parse_game("\n".join(["see(me,opponent)"] * 3)))


def test_predicates_are_different_and_half_of_them_recolourings():
    rng = np.random.default_rng(0)
    counts = set()
    for _ in range(300):
        predicates = sample_predicates(rng)
        names_object = [not set(OBJECTS).isdisjoint(ATOMS[atom]) for atom in predicates[:3]]
        assert len(set(predicates)) == len(predicates) == 3 + sum(names_object)
        coloured, new = predicates[:3][names_object], predicates[3:]
        assert (RECOLOURED_ATOMS[:, coloured] == new).all(axis=1).any()
        counts.add(len(predicates))
    assert {5, 6} <= counts


def test_modifications_are_those_of_the_paper():
    goal = np.array([[1, 0, 0], [0, -1, 1]], np.int8)
    other = np.array([[1, 1, 0], [-1, 0, 0]], np.int8)
    made = []
    for modification in range(count_modifications(goal)):
        changed = goal.copy()
        modify(changed, other, modification)
        made.append(changed.tolist())
    expected = []
    for option in range(2):
        for place in range(3):
            for value in (-1, 0, 1):  # flips, additions and removals
                if value != goal[option, place]:
                    changed = goal.copy()
                    changed[option, place] = value
                    expected.append(changed.tolist())
        for copied in (*other, *-other):
            changed = goal.copy()
            changed[option] = copied
            expected.append(changed.tolist())
    assert sorted(made) == sorted(expected)
    assert longest_option(goal) == 2


def test_overlaps():
    recoloured = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2]], np.int16, order="F")  # as ours is
    ways = overlaps(np.array([0, 2]), np.array([1, 2, 0]), recoloured)
    # Local numbers 0 and 1 are the first goal's; 2, 3 and 4 are new.
    assert ways.tolist() == [[2, 1, 0], [0, 1, 4], [2, 3, 0], [0, 3, 4]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 0.5, 0.5), "number of options is 0, expected 1 to 3"),
        ((4, 1, 0.5, 0.5), "number of options is 4"),
        ((1, 0, 0.5, 0.5), "number of conjunctions is 0"),
        ((1, 4, 0.5, 0.5), "number of conjunctions is 4"),
        ((1, 1, 1.5, 0.5), "competitiveness is 1.5, expected a number in"),
        ((1, 1, 0.5, float("nan")), "balance is nan"),
        ((1, 1, 0.5, 0.5, 1), "number of players is 1, expected 2 to 3"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(InvalidTaskError, match=message):
        generate_game(np.random.default_rng(0), *arguments)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, OPPONENT, parse_atom
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from tests.tasks.xland.games.strategies import goals, random_goal
from tests.tasks.xland.predicates.reference_predicates import reference_reward

WITHOUT_OPPONENT = np.flatnonzero([OPPONENT not in atom for atom in ATOMS])


def any_game(num_players: int):
    """Hypothesis' games of so many players."""
    atoms = st.sampled_from(WITHOUT_OPPONENT.tolist()) if num_players == 1 else st.integers(0, len(ATOMS) - 1)
    return st.lists(goals(atoms), min_size=num_players, max_size=num_players).map(Game)


def random_game(rng: np.random.Generator, num_players: int) -> Game:
    """Goals of one to three options of one to three predicates, each over its own six."""
    atoms = WITHOUT_OPPONENT if num_players == 1 else np.arange(len(ATOMS))
    options = rng.integers(1, 4, num_players)
    return Game(tuple(random_goal(rng, rng.choice(atoms, 6, replace=False), count) for count in options))


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("near(me,black cube) & ~hold(me,black cube)", [0, 1, 0, 0]),
        ("near(me,black cube) | hold(me,black cube)", [0, 1, 1, 1]),
        ("~see(me,black cube)", [1, 1, 1, 1]),
        ("see(me,black cube)", [0, 0, 0, 0]),
    ],
)
def test_an_option_is_met_if_all_its_literals_are_true(goal, expected):
    near, hold = (ATOM_INDEX[parse_atom(f"{relation}(me,black cube)")] for relation in ("near", "hold"))
    truths = np.zeros((4, 1, 212), bool)
    truths[1, 0, near] = truths[2, 0, hold] = truths[3, 0, [near, hold]] = True
    assert rewards(truths, compile_goals([parse_game(goal)]))[:, 0].tolist() == expected


@given(st.integers(1, 3).flatmap(lambda players: st.lists(any_game(players), min_size=1, max_size=4)), st.integers(0))
def test_rewards_are_those_of_the_game(drawn, seed):
    truths = np.random.default_rng(seed).random((4, len(drawn), drawn[0].num_players, 212)) < 0.5
    compiled = compile_goals(drawn)
    for of_games in truths:
        assert np.array_equal(rewards(of_games, compiled), [game.rewards(t) for game, t in zip(drawn, of_games)])
    of_first = np.ascontiguousarray(truths[:, 0])
    assert np.array_equal(rewards(of_first, compile_goals(drawn[:1])), drawn[0].rewards(of_first))


@pytest.mark.parametrize("num_players", [1, 2, 3])
@pytest.mark.parametrize("per_state", [False, True])
def test_rewards_are_those_of_plain_python(num_players, per_state):
    rng = np.random.default_rng([num_players, per_state])
    truths = rng.random((200, num_players, 212)) < 0.5
    drawn = [random_game(rng, num_players) for _ in range(200 if per_state else 1)]
    compiled = compile_goals(drawn)
    expected = [
        [reference_reward(truths[s, p], goal.matrix) for p, goal in enumerate(drawn[s if per_state else 0].goals)]
        for s in range(200)
    ]
    found = rewards(truths, compiled)
    assert found.dtype == np.float64 and np.array_equal(found, expected) and 0 < found.mean() < 1
    out = np.ones((200, num_players), bool)
    assert rewards(truths, compiled, out) is out and np.array_equal(out, expected)
    # Only the atoms that the goals use matter.
    assert np.array_equal(rewards(truths & compiled.used_atoms(), compiled), expected)


def test_goals_of_games_can_be_dealt_to_states():
    rng = np.random.default_rng(9)
    compiled = compile_goals([random_game(rng, 1) for _ in range(3)])
    truths = rng.random((5, 1, 212)) < 0.5
    dealing = np.array([2, 0, 0, 1, 2])
    dealt = rewards(truths, compiled.of_games(dealing))
    for s, game in enumerate(dealing):
        assert rewards(truths[s : s + 1], compiled.of_games(dealing[s : s + 1]))[0, 0] == dealt[s, 0]
        assert compiled.options[game, 0].any()


def test_errors_name_what_is_wrong():
    alone, pair = parse_game("see(me,black cube)"), parse_game("see(me,opponent)\nsee(me,opponent)")
    with pytest.raises(InvalidTaskError, match="number of players of game 1 is 1, expected 2, as in game 0"):
        compile_goals([pair, alone])
    with pytest.raises(InvalidTaskError, match="number of games is 0, expected at least 1"):
        compile_goals([])
    compiled = compile_goals([alone] * 3)
    with pytest.raises(InvalidTaskError, match="number of games is 3, expected 1 or 4"):
        rewards(np.zeros((4, 1, 212), bool), compiled)
    with pytest.raises(InvalidTaskError, match="truths's shape"):
        rewards(np.zeros((3, 2, 212), bool), compiled)
    with pytest.raises(InvalidTaskError, match="out's type is 'float32'"):
        rewards(np.zeros((3, 1, 212), bool), compiled, np.zeros((3, 1), np.float32))

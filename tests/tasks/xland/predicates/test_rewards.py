import numpy as np
import pytest

from procgen_bench.errors import InvalidTaskError
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from tests.tasks.xland.predicates.reference_predicates import reference_reward


def goal(*options: dict[int, int]) -> np.ndarray:
    """A matrix (options, 212) of the literals given by atom."""
    matrix = np.zeros((len(options), 212), np.int8)
    for option, literals in enumerate(options):
        for atom, sign in literals.items():
            matrix[option, atom] = sign
    return matrix


def random_goal(rng: np.random.Generator) -> np.ndarray:
    """One to three options of one to three literals, among few atoms so that options are often met."""
    return goal(
        *(
            {int(atom): int(rng.choice([-1, 1])) for atom in rng.choice(212, rng.integers(1, 4), replace=False)}
            for _ in range(rng.integers(1, 4))
        )
    )


def test_an_option_is_met_if_all_its_literals_are_true():
    truths = np.zeros((4, 1, 212), bool)
    truths[1, 0, 5] = truths[2, 0, 7] = truths[3, 0, [5, 7]] = True
    of = {
        "5 and not 7": (goal({5: 1, 7: -1}), [0, 1, 0, 0]),
        "5 or 7": (goal({5: 1}, {7: 1}), [0, 1, 1, 1]),
        "not 211": (goal({211: -1}), [1, 1, 1, 1]),
        "211": (goal({211: 1}), [0, 0, 0, 0]),
        "nothing is asked": (goal({}), [1, 1, 1, 1]),
        "no option": (goal(), [0, 0, 0, 0]),
    }
    for name, (matrix, expected) in of.items():
        assert rewards(truths, compile_goals([[matrix]]))[:, 0].tolist() == expected, name


@pytest.mark.parametrize("num_players", [1, 2, 3])
@pytest.mark.parametrize("per_state", [False, True])
def test_rewards_are_those_of_plain_python(num_players, per_state):
    rng = np.random.default_rng([num_players, per_state])
    truths = rng.random((200, num_players, 212)) < 0.5
    games = [[random_goal(rng) for _ in range(num_players)] for _ in range(200 if per_state else 1)]
    goals = compile_goals(games)
    expected = [
        [reference_reward(truths[s, p], games[s if per_state else 0][p]) for p in range(num_players)]
        for s in range(200)
    ]
    given = rewards(truths, goals)
    assert given.dtype == np.float64 and np.array_equal(given, expected) and 0 < given.mean() < 1
    out = np.ones((200, num_players), bool)
    assert rewards(truths, goals, out) is out and np.array_equal(out, expected)
    # Only the atoms that the goals use matter.
    assert np.array_equal(rewards(truths & goals.used_atoms(), goals), expected)


def test_goals_of_games_can_be_dealt_to_states():
    rng = np.random.default_rng(9)
    goals = compile_goals([[random_goal(rng)] for _ in range(3)])
    truths = rng.random((5, 1, 212)) < 0.5
    games = np.array([2, 0, 0, 1, 2])
    dealt = rewards(truths, goals.of_games(games))
    for s, game in enumerate(games):
        assert rewards(truths[s : s + 1], goals.of_games(games[s : s + 1]))[0, 0] == dealt[s, 0]
        assert goals.options[game, 0].any()


def test_errors_name_what_is_wrong():
    one = goal({3: 1})
    with pytest.raises(InvalidTaskError, match=r"goals\[0\]\[0\]\[0, 3\] is 2, expected -1, 0 or 1"):
        compile_goals([[one * 2]])
    with pytest.raises(InvalidTaskError, match=r"goals\[0\]\[1\]'s shape is \(1, 211\), expected \(options, 212\)"):
        compile_goals([[one, one[:, 1:]]])
    with pytest.raises(InvalidTaskError, match="number of goals in game 1 is 1, expected 2, as in game 0"):
        compile_goals([[one, one], [one]])
    with pytest.raises(InvalidTaskError, match="at least one game with at least one player"):
        compile_goals([])
    goals = compile_goals([[one]] * 3)
    with pytest.raises(InvalidTaskError, match="number of games is 3, expected 1 or 4"):
        rewards(np.zeros((4, 1, 212), bool), goals)
    with pytest.raises(InvalidTaskError, match="truths's shape"):
        rewards(np.zeros((3, 2, 212), bool), goals)
    with pytest.raises(InvalidTaskError, match="out's type is 'float32'"):
        rewards(np.zeros((3, 1, 212), bool), goals, np.zeros((3, 1), np.float32))

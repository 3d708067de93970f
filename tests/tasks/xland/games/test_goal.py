"""Goals: text, equality, checks, and what they reward."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, parse_atom
from procgen_bench.tasks.xland.games.goal import Goal, parse_goal
from tests.tasks.xland.games.reference_game import read
from tests.tasks.xland.games.strategies import goals

EXAMPLE = "hold(me,purple sphere) & near(purple sphere,yellow sphere) | ~see(opponent,me)"


def test_the_example_is_read_and_printed():
    goal = parse_goal(EXAMPLE)
    assert str(goal) == EXAMPLE
    needs = {
        (option, str(ATOMS[atom])): sign for option, row in enumerate(goal.matrix) for atom, sign in enumerate(row)
    }
    assert {place: sign for place, sign in needs.items() if sign} == {
        (0, "hold(me,purple sphere)"): 1,
        (0, "near(purple sphere,yellow sphere)"): 1,
        (1, "see(opponent,me)"): -1,
    }


@given(goals())
def test_text_round_trip(goal):
    assert parse_goal(str(goal)) == goal
    assert str(parse_goal(str(goal))) == str(goal)


@given(goals(), st.randoms(use_true_random=False))
def test_order_does_not_matter(goal, random):
    options = [option.split(" & ") for option in str(goal).split(" | ")]
    for option in options:
        random.shuffle(option)
    random.shuffle(options)
    shuffled = parse_goal(" | ".join("&".join(option) for option in options))
    assert shuffled == goal and hash(shuffled) == hash(goal) and str(shuffled) == str(goal)
    assert Goal(goal.matrix[::-1]) == goal


@given(goals(), goals())
def test_goals_are_equal_when_their_options_are(goal, other):
    assert (goal == other) == (str(goal) == str(other))


def test_arguments_of_symmetric_relations_in_either_order():
    assert parse_goal("near(me,black cube) | on(blue floor,me)") == parse_goal("on(me,blue floor)|near(black cube,me)")
    assert parse_goal("see(me,opponent)") != parse_goal("see(opponent,me)")


def test_goals_are_immutable_and_survive_pickling():
    goal = parse_goal(EXAMPLE)
    with pytest.raises(ValueError, match="read-only"):
        goal.matrix[0, 0] = 1
    assert pickle.loads(pickle.dumps(goal)) == goal


@given(goals(), st.integers(0, 2**32 - 1))
def test_reward_is_that_of_the_text(goal, seed):
    truths = np.random.default_rng(seed).random((5, 3, len(ATOMS))) < 0.5
    (options,) = read(str(goal))

    def rewarded(state):
        return any(all(state[ATOM_INDEX[tuple(atom)]] == wanted for wanted, *atom in option) for option in options)

    expected = [[rewarded(state) for state in row] for row in truths]
    reward = goal.reward(truths)
    assert reward.shape == (5, 3) and reward.dtype == np.bool_ and reward.tolist() == expected
    assert goal.reward(truths[0, 0]) == expected[0][0]


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("", 1, "the end of the text"),
        ("hold(me,black cube) |", 22, "the end of the text"),
        ("hold(me,black cube) & & see(me,opponent)", 23, "&"),
        ("hold(me,black cube) see(me,opponent)", 21, "see(me,opponent)"),
        ("~~see(me,opponent)", 2, "~see(me,opponent)"),
        ("see(me,opponent) & ~hold(me,black cone)", 29, "black cone"),
        ("see(me,opponent) & ~hold(black cube,me)", 21, "hold(black cube,me)"),
        ("near(me,black cube) & near(black cube,me)", 23, "near(black cube,me)"),
        ("near(me,black cube) & ~near(black cube,me)", 23, "~near(black cube,me)"),
        ("near(me,black cube) | near(black cube,me)", 23, "near(black cube,me)"),
    ],
)
def test_errors_name_the_column(text, column, value):
    with pytest.raises(InvalidTaskError) as raised:
        parse_goal(text)
    assert raised.value.parameter == f"goal at column {column}" and raised.value.value == value


def row(**needs) -> np.ndarray:
    matrix = np.zeros((1, len(ATOMS)), np.int8)
    matrix[0, ATOM_INDEX[parse_atom("see(me,opponent)")]] = needs.get("sign", 1)
    return matrix


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (row().tolist(), "matrix's type is 'list'"),
        (row().astype(np.int64), "matrix's type"),
        (row()[0], "matrix's shape is \\(212,\\)"),
        (row()[:, 1:], "matrix's shape is \\(1, 211\\)"),
        (row()[:0], "number of options of a goal is 0"),
        (row(sign=2), "matrix\\[0, 117\\] of a goal is 2, expected -1, 0 or 1"),
        (row(sign=-128), "matrix\\[0, 117\\] of a goal is -128, expected -1, 0 or 1"),
        (np.concatenate([row(), row(sign=0)]), "atoms in option 1 of a goal is 0"),
        (np.concatenate([row(), row()]), "option of the goal is 'see\\(me,opponent\\)'"),
    ],
)
def test_matrices_are_checked(matrix, message):
    with pytest.raises(InvalidTaskError, match=message):
        Goal(matrix)

"""Tables of returns, and what of them is refused."""

import numpy as np
import pytest

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import ReturnTable
from tests.leaderboards.xland.makers import POLICIES, tasks_of

TASKS = tasks_of(("g", "h"), co_players=("noop", "swift"))
CELL = "return of 'random' on game 'h', world 'w', co-player 'noop'"


def returns_with(value):
    returns = np.ones((3, 4))
    returns[1, 2] = value
    return returns


def test_a_table_is_not_to_be_changed():
    source = np.ones((3, 4))
    table = ReturnTable(POLICIES, TASKS, source)
    source[0, 0] = 5
    assert table.returns[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        table.returns[0, 0] = 5


def test_games_come_in_the_order_of_their_first_tasks():
    table = ReturnTable(POLICIES, [TASKS[place] for place in (2, 0, 3, 1)], np.ones((3, 4)))
    assert table.games == ("h", "g")
    assert {game: places.tolist() for game, places in table.tasks_by_game.items()} == {"h": [0, 2], "g": [1, 3]}


@pytest.mark.parametrize(
    ("policies", "tasks", "returns", "message"),
    [
        (POLICIES, TASKS, returns_with(np.nan), f"{CELL} is nan, expected a finite number, at least 0"),
        (POLICIES, TASKS, returns_with(-0.5), f"{CELL} is -0.5, expected a finite number, at least 0"),
        (POLICIES, TASKS, returns_with(np.inf), f"{CELL} is inf"),
        (POLICIES, TASKS, np.ones((3, 5)), "shape of the returns is (3, 5), expected (3, 4)"),
        ((), TASKS, np.ones((0, 4)), "number of policies is 0, expected at least 1"),
        (POLICIES, (), np.ones((3, 0)), "number of tasks is 0, expected at least 1"),
        (("a", "a", "b"), TASKS, np.ones((3, 4)), "policies is 'a (twice)', expected every one only once"),
        (POLICIES, (*TASKS[:3], TASKS[0]), np.ones((3, 4)), "tasks is \"game 'g', world 'w', co-player 'noop' (twice)"),
    ],
)
def test_bad_tables_are_refused(policies, tasks, returns, message):
    with pytest.raises(InvalidReturnsError) as caught:
        ReturnTable(policies, tasks, returns)
    assert message in str(caught.value) and "\n" not in str(caught.value)

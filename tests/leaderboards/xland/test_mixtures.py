"""Payoff tables, the values of best mixtures, and normalised scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.mixtures import best_values, game_payoffs
from procgen_bench.leaderboards.xland.normalisation import normalised_scores
from procgen_bench.leaderboards.xland.returns import ReturnTable
from tests.leaderboards.xland.makers import POLICIES, table_of, tables, tasks_of


def reordered(table, policies, tasks):
    """The table of the policies and tasks at these places."""
    return ReturnTable(
        [table.policies[place] for place in policies],
        [table.tasks[place] for place in tasks],
        table.returns[np.ix_(policies, tasks)],
    )


def test_payoffs_are_means_over_worlds():
    table = table_of([[1, 2, 5, 6], [3, 4, 7, 9]], worlds=("a", "b"), policies=("y", "x"), co_players=("q", "p"))
    assert game_payoffs(table, "g").tolist() == [[6.5, 5], [4, 3]]  # x, then y; p, then q


def test_rounding_does_not_depend_on_the_order_of_worlds():
    table = table_of([[0.1, 0.2, 0.3]], worlds=("a", "b", "c"), policies=("x",), co_players=("p",))
    other = reordered(table, [0], [1, 2, 0])
    assert (0.1 + 0.2) + 0.3 != (0.2 + 0.3) + 0.1  # so that the next line can fail
    assert game_payoffs(other, "g")[0, 0] == game_payoffs(table, "g")[0, 0]


@settings(max_examples=25)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_policies_and_tasks_does_not_matter(table, random):
    policies, tasks = list(range(len(table.policies))), list(range(len(table.tasks)))
    random.shuffle(policies)
    random.shuffle(tasks)
    shuffled = reordered(table, policies, tasks)
    for game in table.games:
        assert (game_payoffs(shuffled, game) == game_payoffs(table, game)).all()
    assert best_values(shuffled) == best_values(table)


def test_only_known_policies_set_the_measure():
    table = table_of([[2, 4], [6, 8], [30, 40]], co_players=("a", "b"), policies=("noop", "swift", "agent"))
    values = best_values(reordered(table, [0, 1], [0, 1]))
    assert values == {"g": 6}
    assert normalised_scores(table, values).scores[:, 0] == pytest.approx([3 / 6, 1, 1])  # 7 / 6 and 35 / 6 are cut
    assert normalised_scores(table, values).uncut[:, 0] == pytest.approx([3 / 6, 7 / 6, 35 / 6])
    assert best_values(table) == {"g": 30}


def test_games_that_are_worth_nothing_do_not_count():
    """One co-player leaves every policy of the first game without reward."""
    returns = [[0, 9, 1, 1], [0, 9, 2, 2]]
    table = table_of(returns, games=("hard", "easy"), policies=("x", "y"), co_players=("a", "b"))
    found = normalised_scores(table, best_values(table))
    assert (found.games, found.uncounted) == (("easy",), ("hard",))
    assert found.scores.tolist() == [[0.5], [1.0]]


@settings(max_examples=60)
@given(tables(), st.floats(1e-3, 1e3), st.integers(0, 4))
def test_scaling_a_game_changes_no_normalised_score(table, factor, place):
    game = table.games[place % len(table.games)]
    returns = table.returns.copy()
    returns[:, table.tasks_by_game[game]] *= factor
    values, scaled_values = best_values(table), best_values(ReturnTable(table.policies, table.tasks, returns))
    if not any(values.values()):
        return
    before = normalised_scores(table, values)
    after = normalised_scores(ReturnTable(table.policies, table.tasks, returns), scaled_values)
    assert after.games == before.games
    assert after.scores == pytest.approx(before.scores, rel=1e-6, abs=1e-12)


@settings(max_examples=60)
@given(tables())
def test_some_known_policy_scores_at_least_one(table):
    """Against an even mixture of co-players some known policy gets at least the game's value: a score of 1."""
    values = best_values(table)
    if any(values.values()):
        assert (normalised_scores(table, values).scores.max(axis=0) >= 1 - 1e-9).all()


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (lambda table: game_payoffs(table, "chess"), UnknownNameError, "unknown game 'chess'; known: g"),
        (lambda table: normalised_scores(table, {}), UnknownNameError, "unknown game 'g'; known: none"),
        (lambda table: normalised_scores(table, {"g": np.nan}), InvalidReturnsError, "value of game 'g' is nan"),
        (lambda table: normalised_scores(table, {"g": -1.0}), InvalidReturnsError, "value of game 'g' is -1.0"),
        (
            lambda table: normalised_scores(table, {"g": 0.0}),
            InvalidReturnsError,
            "games whose best mixture is worth more than 0 is 0, expected at least 1",
        ),
        (
            lambda table: best_values(reordered(table, [0, 1, 2], range(1, len(table.tasks)))),
            InvalidReturnsError,
            "task game 'g', world 'a', co-player 'noop' is 'missing', expected every world of a game with each",
        ),
    ],
)
def test_bad_input_is_named(fault, error, message):
    tasks = tasks_of(("g",), ("a", "b"))
    table = ReturnTable(POLICIES, tasks, np.ones((len(POLICIES), len(tasks))))
    with pytest.raises(error) as caught:
        fault(table)
    assert message in str(caught.value) and "\n" not in str(caught.value)

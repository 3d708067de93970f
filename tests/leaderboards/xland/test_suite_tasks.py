"""The tasks of the suites as the evaluation counts them."""

import pytest

from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import EvaluationTask
from procgen_bench.leaderboards.xland.suite_tasks import game_identity, suite_tasks
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.suites import load_suite


def test_the_test_suite_has_the_papers_number_of_tasks():
    tasks = suite_tasks(load_suite("test"))
    assert len(tasks) == len(set(tasks)) == 11_746
    assert [task.co_player for task in tasks[:7]] == list(TEST_CO_PLAYERS)
    assert {task.world for task in tasks} == set(load_suite("test").task_names)


def test_suites_of_the_evaluation_are_the_same_tasks():
    of_test = suite_tasks(load_suite("test"))
    assert suite_tasks(load_suite("evaluation")) == of_test
    mini = suite_tasks(load_suite("evaluation_mini"))
    assert len(mini) == 700 and set(mini) < set(of_test)


def test_hand_authored_tasks_keep_their_co_players():
    suite = load_suite("hand_authored")
    tasks = {task.world: task for task in suite_tasks(suite)}
    assert tasks["find_cube"].co_player == "nobody"
    assert tasks["xrps_counter_black"] == EvaluationTask("xrps_counter_black", "xrps_counter_black", "steady")
    assert len(tasks["choose_wisely_3p"].co_player.split(" + ")) == 2
    assert set(tasks) == set(suite.task_names) and len(tasks) == 42


def test_games_are_alike_by_their_text():
    game = parse_game("hold(me,purple sphere)\nsee(me,opponent)")
    assert game_identity(game) == game_identity(parse_game(str(game))) and len(game_identity(game)) == 16
    assert game_identity(game) != game_identity(parse_game("hold(me,purple sphere)\nsee(opponent,me)"))


def test_unknown_and_no_co_players_are_refused():
    with pytest.raises(UnknownNameError, match="unknown co-player 'human'"):
        suite_tasks(load_suite("test"), ["noop", "human"])
    with pytest.raises(InvalidReturnsError, match="number of co-players is 0"):
        suite_tasks(load_suite("test"), [])

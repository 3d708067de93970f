"""The tasks of the benchmarks' suites as the evaluation counts them."""

from collections import Counter

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import benchmark_tasks, game_identity, team_name
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS
from procgen_bench.tasks.xland.evaluation.mini import MINI_PLACES
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.suites import load_suite


@pytest.fixture(scope="module")
def of_test():
    """The tasks of ``xland/test``."""
    return benchmark_tasks(get_benchmark("xland/test").task_suite())


def test_the_evaluation_has_the_papers_number_of_tasks(of_test):
    assert len(of_test) == len(set(of_test)) == 11_746
    pairs = Counter((task.game, task.world) for task in of_test)
    assert len(pairs) == 1678 and set(pairs.values()) == {7}
    assert [task.co_player for task in of_test] == list(TEST_CO_PLAYERS) * 1678


def test_games_and_worlds_are_those_of_the_suite(of_test):
    test = load_suite("test")
    for place in range(0, 1678, 100):
        game, world, _ = of_test[7 * place]
        assert game == game_identity(test.tasks[place].game)
        assert test.tasks[place].world.fingerprint().startswith(world) and len(world) == 16


def test_the_small_evaluation_is_a_part_of_the_whole(of_test):
    mini = benchmark_tasks(get_benchmark("xland/mini").task_suite())
    assert len(mini) == 700
    assert mini == tuple(task for place in MINI_PLACES for task in of_test[7 * place : 7 * place + 7])


def test_hand_authored_tasks_keep_their_co_players():
    suite = get_benchmark("xland/hand-authored").task_suite()
    found = benchmark_tasks(suite)
    tasks = dict(zip(suite.task_names, found))
    assert len(tasks) == len(set(found)) == 42
    expected = {"find_cube": "nobody", "xrps_counter_black": "steady", "choose_wisely_3p": "steady"}
    assert {name: tasks[name].co_player for name in expected} == expected
    assert {task.co_player for name, task in tasks.items() if suite[name].game.num_players == 1} == {"nobody"}


def test_tasks_that_leave_their_co_players_open_are_refused():
    with pytest.raises(InvalidReturnsError, match=r"co-players of task '0' is .*, expected a name for every other"):
        benchmark_tasks(load_suite("test"))


def test_teams_are_named_by_who_is_in_them():
    names = [(), ("swift",), ("swift", "swift"), ("swift", "noop")]
    assert [team_name(co_players) for co_players in names] == ["nobody", "swift", "swift", "swift + noop"]


def test_games_are_alike_by_their_text():
    game = parse_game("hold(me,purple sphere)\nsee(me,opponent)")
    assert game_identity(game) == game_identity(parse_game(str(game))) and len(game_identity(game)) == 16
    assert game_identity(game) != game_identity(parse_game("hold(me,purple sphere)\nsee(opponent,me)"))

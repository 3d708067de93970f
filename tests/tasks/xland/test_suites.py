"""The suites are as published: even over buckets, valid, held out from each other, and quick to load."""

import functools
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.tasks.xland import pool
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS, evaluation_teams
from procgen_bench.tasks.xland.entities import SHAPES
from procgen_bench.tasks.xland.evaluation.games import BUCKETS, bucket, check_evaluation_game
from procgen_bench.tasks.xland.evaluation.mini import MINI_PLACES
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.games.templates import SKILLS
from procgen_bench.tasks.xland.generate import COUNTS, SMALL_COUNTS, generate
from procgen_bench.tasks.xland.hold_out import CHECKSUM, is_held_out_game, is_held_out_world
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.suites import EVALUATION_SUITES, SOURCES, SUITES, load_suite
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.topology import playable_area


@functools.cache
def forms_of_games(name: str) -> set:
    """The canonical form of every game of a suite, found once: that takes seconds."""
    return {canonical(task.game) for task in load_suite(name)}


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COUNTS)
def test_tasks_are_valid(name, every):
    for task in load_suite(name).tasks[::every]:
        task.validate()
        check_evaluation_game(task.game)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "validation")) for name in COUNTS]
)
def test_tasks_are_even_over_buckets(name):
    suite = load_suite(name)
    assert len(suite) == len(suite.task_names) == COUNTS[name]
    buckets, players = Counter(), Counter()
    for task in suite:
        buckets[bucket(task.game)] += 1
        players[task.game.num_players] += 1
    assert len(forms_of_games(name)) == COUNTS[name], "no two games are alike"
    assert buckets.keys() == set(BUCKETS) and max(buckets.values()) - min(buckets.values()) <= 1
    assert min(players.values()) > 0.4 * COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_worlds_hold_twelve_objects_in_the_playable_area(name):
    suite = load_suite(name)
    for task in suite.tasks[::10]:
        world = task.world
        kinds = set(zip(world.object_shapes.tolist(), world.object_colours.tolist()))
        assert len(kinds) == len(world.object_shapes) == 3 * len(SHAPES)
        playable = playable_area(world)
        assert playable.mean() >= 0.5
        for x, y in np.concatenate([world.object_positions, world.player_positions]).tolist():
            assert playable[int(y), int(x)]


@pytest.mark.slow
def test_suites_share_no_game_and_no_world():
    games, worlds = ([], [])
    for name in SOURCES:
        suite = load_suite(name)
        games.append(forms_of_games(name))
        worlds.append({canonical_world(task.world) for task in suite})
    for forms in (games, worlds):
        assert len(set.union(*forms)) == sum(map(len, forms))
    assert len(worlds[0]) == COUNTS["test"] and len(worlds[1]) == COUNTS["validation"]


@pytest.mark.parametrize("name", SUITES.names)
def test_all_that_suites_hold_is_held_out(name):
    for task in load_suite(name).tasks[::25]:
        assert is_held_out_world(task.world)
        assert name == "skills" or is_held_out_game(task.game)


def test_tasks_are_built_when_they_are_asked_for(monkeypatch):
    built = []
    with monkeypatch.context() as patch:
        patch.setattr(XLandTask, "__post_init__", lambda task: built.append(task))
        suite = load_suite("validation")
        assert not built
        assert suite.tasks[0] is built[0] and len(built) == 1
    assert suite["17"] is suite.tasks[17] and suite.tasks[-1] is suite.tasks[2899]
    with pytest.raises(UnknownNameError, match="task in suite 'validation' '2900'"):
        suite["2900"]


@pytest.mark.parametrize(("name", "sources"), [("evaluation", range(1678)), ("evaluation_mini", MINI_PLACES)])
def test_evaluation_suites_hold_test_tasks_with_every_team(name, sources):
    suite, test = load_suite(name), load_suite("test")
    assert len(suite) == len(set(suite.task_names)) == 7 * len(sources)
    assert suite.task_names == tuple(f"{place}-{name}" for place in sources for name in TEST_CO_PLAYERS)
    for number in range(0, len(suite), len(suite) // 60):
        name_in_test, _, name_of_team = suite.task_names[number].partition("-")
        task, source = suite.tasks[number], test[name_in_test]
        assert task.co_players == (name_of_team,) * (source.game.num_players - 1)
        assert (task.world, task.game) == (source.world, source.game)
        task.validate()


def test_tasks_of_one_player_stand_once_and_others_with_everyone():
    assert evaluation_teams(1) == ((),)
    assert evaluation_teams(2) == tuple((name,) for name in TEST_CO_PLAYERS)
    assert evaluation_teams(3) == tuple((name, name) for name in TEST_CO_PLAYERS)


def test_the_evaluation_loads_without_building_a_task(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(XLandTask, "__post_init__", lambda task: pytest.fail("a task was built"))
        start = time.process_time()
        for name in EVALUATION_SUITES:
            load_suite(name)
        assert time.process_time() - start < 2.0


def spread_places(tasks: Sequence[XLandTask], count: int) -> tuple[int, ...]:
    """Places of ``count`` tasks, rising, spread evenly over all."""
    order = sorted(
        range(len(tasks)), key=lambda place: (bucket(tasks[place].game), tasks[place].game.num_players, place)
    )
    return tuple(sorted(order[(2 * piece + 1) * len(tasks) // (2 * count)] for piece in range(count)))


@pytest.mark.slow
def test_the_small_evaluation_is_as_even_as_the_whole():
    tasks = load_suite("test").tasks
    assert spread_places(tasks, 100) == MINI_PLACES and len(set(MINI_PLACES)) == 100
    of_all = Counter((bucket(task.game), task.game.num_players) for task in tasks)
    of_mini = Counter((bucket(tasks[place].game), tasks[place].game.num_players) for place in MINI_PLACES)
    for stratum, count in of_all.items():
        assert abs(of_mini[stratum] - count * len(MINI_PLACES) / len(tasks)) < 1, stratum


def test_skills_are_fifty_tasks_each_in_worlds_of_no_other_suite():
    suite = load_suite("skills")
    assert len(suite) == 50 * len(SKILLS) and suite.task_names[-1] == "clear-49"
    for name, task in list(zip(suite.task_names, suite.tasks))[::9]:
        task.validate()
        assert task.co_players == ("noop",) and not met_at_the_start(task.world, task.game).any()
        goal = task.game.goals[0]
        assert len(goal.atoms) == 1 and ("~" in str(goal)) == name.startswith("clear")
    worlds = {canonical_world(task.world) for task in suite}
    assert len(worlds) == len(suite)
    assert worlds.isdisjoint(canonical_world(task.world) for task in load_suite("small_validation"))


def test_validation_in_the_small_has_co_players_of_training_and_what_is_known_to_be_earned():
    suite = load_suite("small_validation")
    assert len(suite) == 300 and {task.co_players for task in suite.tasks[:4]} == {("noop",), ("random",)}
    best = suite.records["best_return"]
    assert best.shape == (300,) and best.min() == 0 and 200 < best.max() <= 300 and (best > 0).mean() > 0.7


@pytest.mark.slow
def test_generating_again_gives_the_committed_suites(tmp_path):
    names = (*COUNTS, *SMALL_COUNTS, "skills")
    others = {"hold_out": CHECKSUM, "pool": pool.CHECKSUM}
    assert generate(tmp_path) == {name: SUITES[name].checksum for name in names} | others


def test_tasks_carry_how_often_noop_and_random_play_are_rewarded():
    test = load_suite("test").records
    for name in ("noop_rate", "random_rate"):
        assert test[name].min() == 0 and test[name].max() == 1
        assert np.array_equal(load_suite("evaluation").records[name], np.repeat(test[name], 7))
        assert np.array_equal(load_suite("evaluation_mini").records[name], np.repeat(test[name][list(MINI_PLACES)], 7))
    assert load_suite("hand_authored").records == {}

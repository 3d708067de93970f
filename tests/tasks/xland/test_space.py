"""Tasks become arrays and come back; arrays that describe no task are refused by name."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.hold_out import is_held_out_game, is_held_out_world
from procgen_bench.tasks.xland.space import XLandTaskSpace
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.generation import generate_world

SPACE = XLandTaskSpace()


@pytest.mark.parametrize("suite", SPACE.suite_names)
def test_tasks_come_back(suite):
    for task in SPACE.suite(suite).tasks[::40] if suite != "hand_authored" else SPACE.suite(suite):
        params = SPACE.encode(task)
        assert SPACE.space.contains(params)
        assert SPACE.decode(params) == task
        again = SPACE.unflatten(SPACE.flatten(params))
        assert SPACE.decode(again) == task


def test_samples_are_new_tasks_that_repeat_with_their_seed():
    rng = np.random.default_rng(0)
    tasks = [SPACE.decode(SPACE.sample(rng)) for _ in range(8)]
    assert len(set(tasks)) == 8 and len({task.world.shape for task in tasks}) > 3
    for task in tasks:
        assert not is_held_out_game(task.game) and not is_held_out_world(task.world)
    assert SPACE.decode(SPACE.sample(np.random.default_rng(0))) == tasks[0]


def test_mutations_are_valid_neighbours():
    rng = np.random.default_rng(1)
    task, kinds = SPACE.suite("test").tasks[3], set()
    for _ in range(30):
        mutated = SPACE.mutate(task, rng)
        SPACE.validate(mutated)
        assert mutated != task
        kinds.add((mutated.game == task.game, np.array_equal(mutated.world.kinds, task.world.kinds)))
    assert {game_stays for game_stays, _ in kinds} == {False, True} and (True, False) in kinds


def test_hide_and_seek_mutates_by_its_world():
    task = SPACE.suite("hand_authored")["hide_and_seek_hider"]
    for seed in range(8):
        assert SPACE.mutate(task, np.random.default_rng(seed)).game == task.game


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("size", 0, 16, r"size\[0\] is 16, expected a number in \[5, 15\]"),
        ("tiles", (0, 0), 46, r"tiles\[0, 0\] is 46"),
        ("objects", slice(None), 0, "objects is 'without"),
        ("players", slice(None), 0, "number of players of the world is 0, expected 2"),
        ("players", 1, 7, r"players\[1\] is 7"),
        ("player_numbers", (0, 0), 14.9999, "player_positions"),
        ("literals", (0, 0, slice(0, 2)), 5, "literals of player 1 is .*expected every atom once"),
        ("literals", slice(None), 0, "number of goals of the game is 0"),
        ("co_players", slice(None), 1, "number of co-players is 2, expected 0 or 1"),
    ],
)
def test_arrays_that_are_no_task_are_refused(name, place, value, message):
    task = next(task for task in SPACE.suite("test") if task.game.num_players == 2 and len(task.game.objects))
    params = SPACE.encode(task)
    params[name][place] = value
    with pytest.raises(InvalidTaskError, match=message):
        SPACE.decode(params)


def test_what_has_no_place_in_the_space_is_refused():
    goal = " | ".join(
        f"see(me,{colour} cube) & on(me,{floor} floor)"
        for colour in ("black", "purple", "yellow")
        for floor in ("brown", "olive", "white")
    )
    world = generate_world(np.random.default_rng(0), players=1)
    with pytest.raises(InvalidTaskError, match="number of options of a goal is 9, expected at most 6"):
        SPACE.encode(XLandTask(world, parse_game(goal)))

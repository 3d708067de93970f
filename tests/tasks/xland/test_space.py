"""Tasks become arrays and come back; arrays that describe no task are refused by name.

Tasks whose game cannot be played in their world are refused, naming the thing and the tile.
"""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.hold_out import is_held_out_game, is_held_out_world, no_training
from procgen_bench.tasks.xland.reach import reachable_tiles
from procgen_bench.tasks.xland.space import XLandTaskSpace
from procgen_bench.tasks.xland.suites import SUITES, load_suite
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.world import World

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


@pytest.mark.parametrize("strength", [None, 0.0, 0.6])
def test_worlds_that_evolve_are_raised_more_and_more_and_keep_their_games(strength):
    space, rng = SPACE.drawing(sides=9, max_level=0, skill="near", mutation=strength), np.random.default_rng(1)
    rooms = [space.sample_task(rng) for _ in range(6)]
    raised, games = [space.shares(rooms, ())["raised_share"]], [room.game for room in rooms]
    objects = [len(room.world.object_shapes) for room in rooms]
    for _ in range(4):
        rooms = [space.mutate(room, rng) for room in rooms]
        raised.append(space.shares(rooms, ())["raised_share"])
    assert raised[0] == 0.0 and (games == [room.game for room in rooms]) == (strength is not None)
    if strength:
        assert 0.05 < raised[1] < raised[4] - 0.05
    else:
        assert raised[4] < 0.05 and (strength is None or raised[4] == 0)
    if strength is not None:
        assert objects == [len(room.world.object_shapes) for room in rooms]
        assert not any(no_training().has_game(game) for game in games)


def test_no_tasks_have_no_shares():
    assert np.isnan(SPACE.shares([], ())["raised_share"])


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


GAME = parse_game("near(me,yellow cube)")
LEDGE = """\
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
{0}. {0}. {0}. 0. 0.
{0}. {0}. {0}. 0. 0.
yellow cube 0.8 m at 1.5 0.5
blue player at 0.5 4.5
"""
SLAB = "black slab 0.8 m at 3.5 3.5\n"


def test_an_object_out_of_reach_is_refused_with_its_tile():
    with pytest.raises(InvalidTaskError, match=r"the yellow cube's tile is \[0, 1\], expected a tile \[row, column\]"):
        XLandTask(World.from_text(LEDGE.format(1)), GAME).validate()


@pytest.mark.parametrize(("level", "reached"), [(1, True), (2, False)])
def test_a_slab_lets_players_climb_one_level(level, reached):
    world = World.from_text(LEDGE.format(level) + SLAB)
    assert reachable_tiles(world)[0, 1] == reached
    task = XLandTask(world, GAME)
    if reached:
        task.validate()
    else:
        with pytest.raises(InvalidTaskError, match="yellow cube's tile"):
            task.validate()


def test_one_of_several_equal_objects_suffices():
    world = World.from_text(LEDGE.format(1) + "yellow cube 0.8 m at 3.5 2.5\n")
    XLandTask(world, GAME).validate()


def test_players_and_co_players_are_counted():
    world = World.from_text(LEDGE.format(0))
    with pytest.raises(InvalidTaskError, match="number of players of the world is 1, expected 2"):
        XLandTask(world, parse_game("see(me,opponent)\nsee(me,opponent)")).validate()
    with pytest.raises(InvalidTaskError, match="number of co-players is 2, expected 0 or 0"):
        XLandTask(world, GAME, ("noop", "noop")).validate()


def test_tasks_are_equal_by_what_they_hold():
    world = World.from_text(LEDGE.format(0))
    task = XLandTask(world, GAME)
    assert task == XLandTask(World.from_text(LEDGE.format(0)), parse_game("near(yellow cube,me)"), [])
    assert task != XLandTask(world, parse_game("hold(me,yellow cube)"))
    assert task != XLandTask(replace(world, player_yaws=np.array([1.0])), GAME)
    assert len({task.fingerprint(), XLandTask(world, GAME).fingerprint()}) == 1


WRITTEN = """\
near(me,yellow cube)  # of player 1

see(opponent,me) | hold(me,yellow cube)
co-players: noop
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
yellow cube 0.8 m at 1.5 0.5
blue player at 0.5 4.5
red player at 4.5 4.5 facing 1.57
"""


def test_a_person_writes_a_task():
    task = XLandTask.from_text(WRITTEN)
    assert task.game == parse_game("near(me,yellow cube)\nsee(opponent,me) | hold(me,yellow cube)")
    assert task.world == World.from_text(WRITTEN.partition("noop\n")[2]) and task.co_players == ("noop",)
    assert XLandTask.from_text(WRITTEN.replace("co-players: noop\n", "")).co_players == ()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("near(me,yellow cube)", "nearly(me,yellow cube)", "line 1"),
        ("see(opponent", "see(nobody", "line 3"),
        ("noop", "nobody", "co-player is 'nobody', expected one of noop, random"),
        ("noop", "noop noop", "number of co-players is 2, expected 0 or 1"),
        ("noop", "noop\nco-players: noop", "number of lines 'co-players:' is 2, expected 0 or 1"),
        ("cube 0.8 m", "cone 0.8 m", "line 10, word 2 is 'cone'"),
        ("red player", "0 player", "line 12"),
        ("yellow cube 0.8 m at 1.5 0.5\n", "", "objects is 'without yellow cube'"),
    ],
)
def test_a_text_that_is_no_task_is_refused_by_its_line(old, new, complaint):
    with pytest.raises(InvalidTaskError) as caught:
        XLandTask.from_text(WRITTEN.replace(old, new, 1))
    assert complaint in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name for name in SUITES.names if name != "evaluation"])  # the tasks of "test"
def test_tasks_of_suites_read_back_exactly(name, every):
    for task in load_suite(name).tasks[::every]:
        assert XLandTask.from_text(task.to_text()) == task

"""Tasks whose game cannot be played in their world are refused, naming the thing and the tile."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.reach import reachable_tiles
from procgen_bench.tasks.xland.suites import SUITES, load_suite
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.world import World

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

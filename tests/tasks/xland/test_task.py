"""Tasks whose game cannot be played in their world are refused, naming the thing and the tile."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.reach import reachable_tiles
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

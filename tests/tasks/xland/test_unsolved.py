"""Reasons why XLand's tasks are not solved."""

from dataclasses import replace

from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.unsolved import why_unsolved
from procgen_bench.tasks.xland.worlds.text import read_fields
from procgen_bench.tasks.xland.worlds.world import World

#: The sphere is on a plateau. The red player stands there; other players need the ramp.
_MAP = """
0. 0. 0. 0. 0.
0. 0. 1. 1. 0.
0. {ramp} 1. 1. 0.
0. 0. 1. 1. 0.
0. 0. 0. 0. 0.
purple sphere at 3.5 2.5
blue player at 0.5 0.5
"""


def task(goal: str, ramp: str = "0.", more: str = "") -> XLandTask:
    return XLandTask(World(**read_fields(_MAP.format(ramp=ramp) + more)), parse_game(goal))


def test_what_is_not_there_or_out_of_reach_is_named():
    assert why_unsolved(task("near(me,black cube)")) == "a goal names the black cube, and there is none"
    assert why_unsolved(task("on(me,white floor)")) == "a goal names the white floor, and there is none"
    there = "no player can come to the purple sphere on tile [2, 3]"
    assert why_unsolved(task("hold(me,purple sphere)")) == there
    assert "RAMP_EAST at [2, 0]" in why_unsolved(replace(task("see(me,purple sphere)"), world=_with_bad_ramp()))


def _with_bad_ramp() -> World:
    world = task("see(me,purple sphere)").world
    kinds = world.kinds.copy()
    kinds[2, 0] = 2
    return replace(world, kinds=kinds)


def test_what_only_another_player_can_come_to_is_named():
    both = "hold(me,purple sphere)\nnear(me,purple sphere)"
    red = "red player at 2.5 2.5\n"
    assert why_unsolved(task(both, more=red)) == "player 1 cannot come to the purple sphere"
    floor = "on(me,olive floor) | hold(me,purple sphere)\nsee(me,opponent)"
    found = why_unsolved(task(floor, more=red))
    assert sorted(found.split(" and ")) == [
        "player 1 cannot come to the olive floor",
        "player 1 cannot come to the purple sphere",
    ]


def test_where_nothing_is_known_another_player_might():
    for reached in (task("hold(me,purple sphere)", ramp="0>"), task("~on(me,brown floor)")):
        assert why_unsolved(reached) == "the scripted player is not rewarded, but another one might be"

"""All 42 hand-authored tasks can be played, and files of another form are refused by name.

Reasons why XLand's tasks are not solved.
"""

from dataclasses import replace

import pytest

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, read_task, task_names
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.unsolved import why_unsolved
from procgen_bench.tasks.xland.worlds.text import read_fields
from procgen_bench.tasks.xland.worlds.world import World

FIND_CUBE = """\
title: Find Cube
description: Near the cube.
solvable: true
game: |
  near(me,yellow cube)
world: |
  0. 0. 0. 0. 0.
  0. 0. 0. 0. 0.
  0. 0. 0. 1. 0.
  0. 0. 0. 0. 0.
  0. 0. 0. 0. 0.
  yellow cube 0.8 m at 4.5 4.5
  blue player at 0.5 0.5
"""


#: A game of two.
SEE_TWICE = "see(me,opponent)\n  see(me,opponent)"


def test_there_are_42_with_titles_of_their_own():
    authored = [hand_authored_task(name) for name in task_names()]
    assert len(authored) == 42
    assert len({one.title for one in authored}) == len({one.description for one in authored}) == 42
    assert len({one.task for one in authored}) == 42
    for name, one in zip(task_names(), authored):
        assert name == one.title.lower().replace(" ", "_")
        one.task.validate()
        assert World.from_text(one.task.world.to_text()) == one.task.world
        assert len(one.task.co_players) == one.task.game.num_players - 1


def test_tasks_of_one_player_or_against_noop_are_claimed_solvable():
    for name in task_names():
        authored = hand_authored_task(name)
        assert authored.solvable == (set(authored.task.co_players) <= {"noop"}), name


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match=r"hand-authored task 'find_sphere'.*capture_the_cube"):
        hand_authored_task("find_sphere")


def test_a_file_is_read(tmp_path):
    (tmp_path / "find.yaml").write_text(FIND_CUBE)
    authored = read_task(tmp_path / "find.yaml")
    assert authored.title == "Find Cube" and authored.solvable and str(authored.task.game) == "near(yellow cube,me)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: Find Cube", "title: [", "find.yaml is .*expected YAML"),
        (FIND_CUBE, "- one\n- two\n", "find.yaml is 'list', expected a mapping of title, description, game, world"),
        ("title: Find Cube", "name: Find Cube", "find.yaml: name is 'unknown', expected title, description"),
        ("title: Find Cube\n", "", "find.yaml: title is 'missing'"),
        ("solvable: true", "solvable: perhaps", "find.yaml: solvable is 'perhaps', expected a bool"),
        ("solvable: true", "co_players: [noop]", "find.yaml: number of co-players is 1, expected 0 or 0"),
        ("near(me,yellow cube)", "near(me,yellow ball)", "find.yaml: line 1 of the game at column 9 is 'yellow ball'"),
        ("near(me,yellow cube)", "near(me,black cube)", "find.yaml: objects is 'without black cube'"),
        ("near(me,yellow cube)", "on(me,white floor)", "find.yaml: floors is 'without white'"),
        ("near(me,yellow cube)", SEE_TWICE, "find.yaml: number of players of the world is 1, expected 2"),
        (
            "world: |\n  0. 0. 0. 0. 0.\n  0. 0. 0. 0. 0.",
            "world: |\n  0. 0. 0. 2. 0.\n  0. 0. 0. 2. 2.",
            "find.yaml: the yellow cube's tile",
        ),
        ("0. 0. 0. 1. 0.", "0. 0. 0. 1x 0.", "find.yaml: line 3, column 4 .*is '1x'"),
    ],
)
def test_faults_are_named(tmp_path, old, new, message):
    assert old in FIND_CUBE
    (tmp_path / "find.yaml").write_text(FIND_CUBE.replace(old, new))
    with pytest.raises(InvalidTaskError, match=message):
        read_task(tmp_path / "find.yaml")


def test_an_unknown_co_player_is_named(tmp_path):
    text = FIND_CUBE.replace("near(me,yellow cube)", SEE_TWICE)
    (tmp_path / "find.yaml").write_text(
        text.replace("solvable: true", "co_players: [genius]") + "  red player at 1.5 0.5\n"
    )
    with pytest.raises(UnknownNameError, match="co-player 'genius'; known: noop, random"):
        read_task(tmp_path / "find.yaml")


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

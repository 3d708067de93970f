"""The simplest tasks, one literal for every player in a flat room, may be trained on though suites have such rooms."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench import make_task_space
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland import XLandTask, load_suite, parse_game
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task
from procgen_bench.tasks.xland.games.recolouring import recolour_game
from procgen_bench.tasks.xland.hold_out import held_out_marks, is_simplest, marks, no_fresh, no_training, simplest_form
from procgen_bench.tasks.xland.worlds.symmetry import SYMMETRIES, moved_world

ROOM = """\
near(me,purple sphere)
near(me,purple sphere)

0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
purple sphere 0.8 m at 3.5 1.5
blue player at 0.5 4.5
red player at 4.5 4.5
"""
OPTIONS = {"sides": 5, "max_level": 0, "objects": 1, "skill": "near"}


@pytest.fixture(scope="module")
def room() -> XLandTask:
    return XLandTask.from_text(ROOM)


@pytest.mark.parametrize("scored", ["xland/skills", "xland/small", "xland/test"])
def test_a_flat_room_with_one_literal_may_be_trained_on(room, scored):
    assert no_training().has_world(room.world) and no_training().has_game(room.game), "suites have both"
    space = make_task_space("XLandSmall-v0")
    assert space.may_be_trained_on(room) and not space.is_kept_fresh(room)
    assert not get_benchmark(scored).holds_out(room)


def test_games_of_more_and_rooms_of_more_are_held_out_as_before(room):
    both = replace(room, game=parse_game("near(me,purple sphere) & see(me,opponent)\nnear(me,purple sphere)"))
    levels = room.world.levels.copy()
    levels[0, 0] = 1
    assert not is_simplest(both.game, both.world)
    assert not is_simplest(room.game, replace(room.world, levels=levels))
    assert get_benchmark("xland/small").holds_out(both), "for its room"
    assert {mark.partition(" ")[0] for mark in marks(both.game, both.world)} == {"game", "world"}


def test_the_simplest_tasks_of_suites_are_held_out_with_their_colours_changed_turned_and_mirrored():
    names = ("hand_authored", "test", "validation", "small", "small_validation", "skills")
    found = [task for name in names for task in load_suite(name).tasks if is_simplest(task.game, task.world)]
    assert len(found) == sum(mark.startswith("task ") for mark in held_out_marks()) == 4
    for task in found:
        assert marks(task.game, task.world) <= held_out_marks()
        for form in range(SYMMETRIES):
            moved, game = moved_world(task.world, form), recolour_game(task.game, 17 * form + 1)
            assert simplest_form(game, moved) == simplest_form(task.game, task.world)
        nudged = task.world.player_positions.copy()
        nudged[0] += 0.01
        assert marks(task.game, replace(task.world, player_positions=nudged)).isdisjoint(held_out_marks())


def test_flat_rooms_are_drawn_and_what_is_in_them_differs():
    options = DrawOptions(**SMALL | OPTIONS)
    tasks = [draw_task(np.random.default_rng(seed), 2, options) for seed in range(20)]
    benchmark = get_benchmark("xland/skills")
    for task in tasks:
        assert is_simplest(task.game, task.world) and len(task.world.object_shapes) == 1
        assert task.world.shape == (5, 5) and not benchmark.holds_out(task)
    assert (
        len({task.fingerprint() for task in tasks}) == len({*map(str, (marks(t.game, t.world) for t in tasks))}) == 20
    )


def test_no_fresh_task_is_one_of_the_simplest(room):
    assert no_fresh().has_world(room.world)
    with pytest.raises(InvalidOptionError, match="all of 100 worlds drawn with these options are in suites"):
        draw_task(np.random.default_rng(0), 2, DrawOptions(**SMALL | OPTIONS), no_fresh())


def test_a_skill_of_two_objects_is_refused_where_there_is_one():
    with pytest.raises(InvalidOptionError, match="objects is 1, expected more: 100 games of the skill 'gather'"):
        draw_task(np.random.default_rng(0), 2, DrawOptions(**SMALL | OPTIONS | {"skill": "gather"}))

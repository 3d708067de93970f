"""Drawing XLand's worlds."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.editor import XLandEditor
from procgen_bench.tasks.xland import XLandTaskSpace

EDITOR, SPACE = XLandEditor(), XLandTaskSpace()
BRUSHES = EDITOR.brush_names()


def drawn(*strokes: tuple[str, int, int], task=None, **settings: str):
    """A level with brushes used at tiles (row, column)."""
    task = EDITOR.blank() if task is None else task
    for name, row, column in strokes:
        task = EDITOR.painted(task, BRUSHES.index(name), column, task.world.shape[0] - 1 - row)
    for name, value in settings.items():
        task = EDITOR.with_setting(task, name.replace("_co_", " co-").replace("_", " "), value)
    return task


def label(task, row: int, column: int) -> str:
    return EDITOR.label(task, column, task.world.shape[0] - 1 - row)


def test_the_blank_world_lacks_what_its_goal_names():
    assert EDITOR.why_unsolvable(EDITOR.blank()) == "a goal names the purple sphere, and there is none"
    drawn(("purple sphere", 4, 4)).validate()


def test_ramps_rise_from_the_floor_behind_them_and_bring_the_level_s_colour():
    task = drawn(("level 2", 3, 5), ("level 1", 3, 3), ("ramp east", 3, 4), ("purple sphere", 3, 5))
    assert label(task, 3, 4) == "level 1, ramp east, olive floor"
    task = drawn(("ramp east", 3, 2), task=task)
    task.validate()
    assert (label(task, 3, 2), label(task, 3, 5)) == (
        "level 0, ramp east, brown floor",
        "level 2, orange floor, purple sphere",
    )
    stuck = drawn(("level 0", 3, 3), task=task)
    assert "RAMP_EAST at [3, 2]" in EDITOR.why_unsolvable(stuck)
    assert EDITOR.place_name(task, 2, task.world.shape[0] - 1 - 3) == "tile [3, 2]"


def test_floors_and_diagonals():
    task = drawn(("level 5", 2, 2), ("diagonal south-west", 2, 2), ("white floor", 2, 2), ("purple sphere", 4, 4))
    assert label(task, 2, 2) == "level 4, diagonal south-west, white floor"
    task.validate()


def test_an_object_is_there_once_and_makes_room():
    task = drawn(("purple sphere", 1, 1), ("purple sphere", 4, 4), ("black cube", 2, 2), ("yellow slab", 2, 2))
    assert label(task, 1, 1) == label(task, 7, 7) == "level 0, brown floor"
    assert label(task, 2, 2) == "level 0, brown floor, yellow slab"
    assert len(task.world.object_shapes) == 2
    assert drawn(("nothing", 2, 2), task=task) == drawn(("purple sphere", 4, 4))
    assert drawn(("black cube", 0, 0), ("nothing", 0, 0), task=task) == task  # the blue player stays


def test_players_bring_goals_and_turn():
    task = drawn(("purple sphere", 4, 4), ("green player", 8, 8), ("red player", 8, 0), ("red player", 8, 0))
    assert label(task, 8, 0) == "level 0, brown floor, red player facing north"
    assert task.world.player_colours.tolist() == [0, 1, 2] and task.co_players == ("noop", "noop")
    task = drawn(task=task, red_goal="see(me,opponent)", green_co_player="swift", blue_gadget="tag")
    assert [str(goal) for goal in task.game.goals][1:] == ["see(me,opponent)", "near(purple sphere,me)"]
    assert (task.co_players, task.world.player_gadgets.tolist()) == (("noop", "swift"), [1, 0, 0])
    task.validate()
    without = drawn(("nothing", 8, 0), task=task)
    assert (without.co_players, without.game.num_players) == (("swift",), 2)
    moved = drawn(("blue player", 8, 8), task=without)
    assert (moved.co_players, moved.world.player_positions.tolist()) == ((), [[8.5, 8.5]])
    assert drawn(("red player", 0, 0), task=task) == task  # the blue one makes no room


def test_who_plays_may_be_left_open():
    task = drawn(("red player", 8, 8), red_co_player="drawn")
    assert task.co_players == () and drawn(("green player", 7, 7), task=task).co_players == ()
    assert drawn(task=task, red_co_player="hunter").co_players == ("hunter",)


def test_goals_are_read_and_put_together_from_what_is_there():
    task = drawn(("purple sphere", 4, 4), ("black cube", 2, 2))
    pieces = next(one.pieces for one in EDITOR.settings(task) if one.name == "blue goal")
    assert "near(black cube,purple sphere)" in pieces and "on(me,brown floor)" in pieces
    assert not any("yellow" in piece or "opponent" in piece or "olive" in piece for piece in pieces)
    with pytest.raises(InvalidTaskError, match="column 6"):
        EDITOR.with_setting(task, "blue goal", "near(you,black cube)")
    with pytest.raises(InvalidTaskError, match="opponent"):
        EDITOR.with_setting(task, "blue goal", "see(me,opponent)")


def test_the_world_grows_and_shrinks():
    task = drawn(("purple sphere", 2, 2), ("black cube", 8, 8), ("blue player", 8, 3), ("red player", 8, 1))
    small = drawn(task=task, rows="5")
    assert small.world.shape == (5, 9) and small.world.player_positions.tolist() == [[3.5, 4.5]]
    assert small.world.object_shapes.tolist() == [1]
    small.validate()
    large = drawn(task=small, columns="15")
    large.validate()
    assert EDITOR.layout(large).columns[-1] > EDITOR.layout(large).rows[-1]


def test_whatever_is_drawn_is_refused_with_a_reason_or_keeps_its_parameters():
    rng, valid = np.random.default_rng(0), 0
    for _ in range(40):
        task = drawn(("purple sphere", 4, 4))
        for _ in range(3):
            task = EDITOR.painted(task, int(rng.integers(len(BRUSHES))), *rng.integers(9, size=2).tolist())
        try:
            task.validate()
        except InvalidTaskError:
            assert EDITOR.why_unsolvable(task)
        else:
            valid += 1
            assert SPACE.decode(SPACE.encode(task)) == task
    assert 5 < valid < 40


def test_the_map_is_as_large_as_its_layout_and_shows_what_is_drawn():
    blank = EDITOR.blank()
    layout, before = EDITOR.layout(blank), EDITOR.picture(blank, None)
    assert before.shape == (layout.height, layout.width, 3)
    row, column = slice(*layout.rows[4:6]), slice(*layout.columns[4:6])
    for brush in ("level 1", "ramp north", "diagonal north-east", "white floor", "black cube", "red player"):
        changed = (EDITOR.picture(drawn((brush, 4, 4)), None) != before).any(axis=-1)
        assert changed[row, column].mean() > 0.02
        changed[layout.rows[3] : layout.rows[6], layout.columns[3] : layout.columns[6]] = False
        assert not changed.any()


def test_tasks_of_the_suite_can_be_drawn_on():
    task = SPACE.resolve("hand_authored/capture_the_cube")
    assert EDITOR.settings(task) and EDITOR.picture(task, None).size
    for row, column in np.ndindex(task.world.shape):
        assert EDITOR.label(task, column, row)

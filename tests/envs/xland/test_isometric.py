"""Pictures of worlds show what is there: floors, objects and players in their colours, walls behind them."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.envs.xland.colours import BACKGROUND_COLOUR, FLOOR_COLOURS, PLAYER_COLOURS
from procgen_bench.envs.xland.isometric import draw_world
from procgen_bench.tasks.xland import World, generate_world

ROOM = "0. 0. 0. 0. 0.\n" * 5


def share(picture, colour, tolerance=40) -> float:
    """The share of the picture's pixels close to a colour."""
    return float((abs(np.asarray(picture, np.int64)[..., :3] - colour).max(axis=-1) <= tolerance).mean())


def test_a_room_is_mostly_floor():
    picture = draw_world(World.from_text(ROOM + "floors 0 blue\n"), 400)
    assert picture.size[0] == 400
    assert share(picture, FLOOR_COLOURS["blue"]) > 0.3
    assert share(picture, FLOOR_COLOURS["orange"]) == 0 and share(picture, BACKGROUND_COLOUR, 2) > 0.2


@pytest.mark.parametrize("floor", FLOOR_COLOURS)
def test_floors_have_their_colours(floor):
    assert share(draw_world(World.from_text(ROOM + f"floors 0 {floor}\n"), 300), FLOOR_COLOURS[floor]) > 0.3


def test_players_and_objects_are_drawn_where_they_are():
    bare = World.from_text(ROOM + "floors 0 white\n")
    things = World.from_text(
        ROOM + "floors 0 white\npurple cube 1.5 m at 1.0 2.5\nred player at 3.5 2.5\ngreen player at 2.5 0.5\n"
    )
    before, after = draw_world(bare, 500), draw_world(things, 500)
    assert before.size == after.size
    for colour in ("red", "green"):
        assert share(before, PLAYER_COLOURS[colour]) == 0 < share(after, PLAYER_COLOURS[colour])
    changed = (np.asarray(before) != np.asarray(after)).any(axis=-1)
    assert 0.005 < changed.mean() < 0.2
    moved = draw_world(replace(things, object_positions=np.array([[1.0, 4.0]])), 500)
    assert (np.asarray(moved) != np.asarray(after)).any()


def test_higher_worlds_make_taller_pictures():
    flat = World.from_text(ROOM)
    hill = replace(flat, levels=np.where(np.arange(25).reshape(5, 5) == 24, 5, 0).astype(np.int8))
    assert draw_world(hill, 300).size[1] > draw_world(flat, 300).size[1]


def test_any_generated_world_is_drawn_and_repeats():
    rng = np.random.default_rng(0)
    for width, height in [(5, 15), (15, 5), (9, 9), (15, 15)]:
        world = generate_world(rng, width, height)
        picture = np.asarray(draw_world(world, 240))
        assert picture.std() > 10
        assert np.array_equal(picture, np.asarray(draw_world(world, 240)))

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import PLATEAU, worlds

WORLD = World.from_text(
    PLATEAU
    + """
    purple cube 0.5 m at 1.5 2.5
    yellow sphere 0.5 m at 3.5 2.5
    blue player at 4.5 4.5
    red player at 1.5 3.5
    """
)


def changed(array: np.ndarray, index, value) -> np.ndarray:
    array = array.copy()
    array[index] = value
    return array


@settings(max_examples=50)
@given(worlds())
def test_worlds_by_hand_are_valid(world):
    world.validate()


def test_height_of_the_floor_in_metres():
    assert WORLD.floor_height(0.5, 2.5) == 1.25 and WORLD.floor_height(3.25, 2.5) == 0.75 * 1.25
    assert WORLD.shape == (5, 5)


NO_LATENTS = np.zeros((2, 7))


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"kinds": WORLD.kinds.astype(np.int64)}, "kinds's type is 'int64', expected an array of int8"),
        ({"levels": WORLD.levels[:4]}, "levels's shape is (4, 5), expected (5, 5)"),
        ({"kinds": np.zeros((4, 5), np.int8)}, "rows is 4, expected an integer in [5, 15]"),
        ({"kinds": np.zeros((5, 16), np.int8)}, "columns is 16, expected an integer in [5, 15]"),
        ({"kinds": changed(WORLD.kinds, (1, 0), 9)}, "kinds[1, 0] is 9, expected a number in [0, 8]"),
        ({"levels": changed(WORLD.levels, (4, 2), -1)}, "levels[4, 2] is -1, expected a number in [0, 5]"),
        ({"levels": changed(WORLD.levels, (1, 0), 5)}, "levels[1, 0] is 5, expected at most 4: a DIAGONAL_SOUTH_WEST"),
        ({"floors": changed(WORLD.floors, (0, 0), 6)}, "floors[0, 0] is 6, expected a number in [0, 5]"),
        ({"tile_size": np.array([2.0, np.nan, 1.0])}, "tile_size[1] is nan, expected a number in [0.1, 100]"),
        ({"light": np.array([0.0, 2.0, 1.0, 0.0])}, "light[1] is 2.0, expected a number in [0, 1.5708]"),
        ({"object_sizes": np.array([0.5, -1.0])}, "object_sizes[1] is -1.0, expected a number in [0.01, 100]"),
        ({"object_yaws": np.array([0.5, np.inf])}, "object_yaws[1] is inf, expected a finite number"),
        ({"object_latents": NO_LATENTS}, "object_latents's shape is (2, 7), expected (2, 8)"),
        ({"object_colours": np.zeros(3, np.int8)}, "object_colours's shape is (3,), expected (2,)"),
        ({"player_colours": np.zeros(2, np.int8)}, "player_colours is ['blue', 'blue'], expected distinct colours"),
        ({"player_gadgets": np.array([0, 2], np.int8)}, "player_gadgets[1] is 2, expected a number in [0, 1]"),
        (
            {"levels": changed(WORLD.levels, (2, 2), 2)},
            "the RAMP_WEST at [2, 3] is 'level 0', expected a floor of height 1 all along its west side, not from 2 to",
        ),
        (
            {"kinds": changed(WORLD.kinds, (2, 4), TileKind.RAMP_NORTH)},
            "the RAMP_WEST at [2, 3] is 'level 0', expected a floor of height 0 all along its east side, not from 0 to",
        ),
        (
            {"kinds": changed(WORLD.kinds, (0, 1), TileKind.RAMP_NORTH)},
            "the RAMP_NORTH at [0, 1] is 'level 0', expected a neighbour in the south, not the border",
        ),
        (
            {"object_positions": np.array([(5.0, 2.5), (3.5, 2.5)])},
            "object_positions[0] is (5.0, 2.5), expected x in [0, 5) and y in [0, 5)",
        ),
        (
            {"object_positions": np.array([(0.5, np.nan), (3.5, 2.5)])},
            "object_positions[0] is (0.5, nan), expected x in [0, 5) and y in [0, 5)",
        ),
        (
            {"object_positions": np.array([(0.5, 1.5), (3.5, 2.5)])},
            "object_positions[0] is (0.5, 1.5), expected a flat tile or a ramp, not the DIAGONAL_SOUTH_WEST at [1, 0]",
        ),
        (
            {"player_positions": np.array([(2.9, 4.5), (4.95, 4.5)])},
            "player_positions[1] is (4.95, 4.5), expected at least 0.3 m to the wall in the east of tile [4, 4], not",
        ),
        (
            {"player_positions": np.array([(0.5, 4.5), (2.05, 4.5)])},
            "player_positions[1] is (2.05, 4.5), expected at least 0.3 m to the wall in the west of tile [4, 2]",
        ),
        (
            {"player_positions": np.array([(1.5, 0.95), (4.5, 4.5)])},
            "player_positions[0] is (1.5, 0.95), expected at least 0.3 m to the wall in the north of tile [0, 1]",
        ),
    ],
)
def test_faults_are_named(fields, part):
    with pytest.raises(InvalidTaskError) as caught:
        replace(WORLD, **fields).validate()
    assert part in str(caught.value)


def test_at_most_three_players():
    four = {name: np.concatenate([getattr(WORLD, name)] * 2) for name in vars(WORLD) if name.startswith("player")}
    with pytest.raises(InvalidTaskError, match="number of players is 4, expected at most 3"):
        replace(WORLD, **four).validate()


def test_drops_are_no_walls():
    """On the plateau's rim a body may reach over the edge, and on level ground over a tile's side."""
    replace(WORLD, player_positions=np.array([(2.98, 1.5), (1.01, 3.5)])).validate()

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import FLAT, PLATEAU, worlds

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


FULL = """\
0. 0. 0> 1. 1.
0. 0. 0> 1. 1.
0. 0. 1. 0. 0◥
0. 0. 0^ 0. 0.
0. 0. 0. 0. 0.
floors 0 brown 1 white
tiles 2.5 2.0 m, levels 1.25 m
light from 0.8 0.9 strength 1.0 hue 0.25
purple sphere 0.8 m at 3.5 1.5 facing 0.4
yellow slab 0.5 m at 3.5 3.5 facing -1e-30 latent 1.0 -0.0 0.1 2.0 3.0 4.0 5.0 6.0
blue player at 0.5 4.5 facing 0.0 with freeze
green player at 1.5 4.5 facing 0.0 with tag latent 0.5 0.0 0.0 0.0 0.0 0.0 0.0 0.0"""


@settings(max_examples=60)
@given(worlds())
def test_round_trip(world):
    assert World.from_text(world.to_text()) == world


def test_round_trip_of_generated_worlds():
    rng = np.random.default_rng(0)
    for floors in ("level", "region") * 10:
        world = generate_world(rng, *rng.integers(5, 16, size=2), floors=floors)
        assert World.from_text(world.to_text()) == world


def test_text_is_as_documented():
    world = World.from_text(FULL)
    assert world.to_text() == FULL
    assert world.kinds[2:, 2].tolist() == [TileKind.FLAT, TileKind.RAMP_EAST, TileKind.RAMP_EAST]
    assert world.kinds[1, 2] == TileKind.RAMP_NORTH and world.kinds[2, 4] == TileKind.DIAGONAL_NORTH_EAST
    assert world.levels[4].tolist() == [0, 0, 0, 1, 1] and world.floors[4].tolist() == [0, 0, 0, 5, 5]
    assert world.object_shapes.tolist() == [1, 3] and world.object_colours.tolist() == [1, 2]
    assert world.object_positions.tolist() == [[3.5, 1.5], [3.5, 3.5]] and world.object_sizes.tolist() == [0.8, 0.5]
    assert world.player_colours.tolist() == [0, 2] and world.player_gadgets.tolist() == [0, 1]
    assert world.tile_size.tolist() == [2.5, 2.0, 1.25] and world.light.tolist() == [0.8, 0.9, 1.0, 0.25]


def test_what_a_person_leaves_out_has_defaults():
    world = World.from_text(
        f"\n# a plateau\n{PLATEAU}\n  black pyramid at 4.5 0.5  # here\n red player at 0.5 0.5 with tag"
    )
    assert world.tile_size.tolist() == [2.5, 2.5, 1.25] and world.light.tolist() == [0.8, 0.9, 1.0, 0.0]
    assert world.object_sizes.tolist() == [0.8] and not world.object_latents.any() and not world.object_yaws.any()
    assert world.player_gadgets.tolist() == [1] and (world.floors == world.levels).all()
    assert len(World.from_text(FLAT).player_colours) == 0


def test_floors_by_tile():
    letters = "n v o b g\n" * 4 + "w w w w w\n"
    world = World.from_text(f"{FLAT}floors by tile\n{letters}red player at 0.5 0.5")
    assert world.floors[0].tolist() == [5] * 5 and world.floors[4].tolist() == [0, 1, 2, 3, 4]
    assert letters in world.to_text() and len(world.player_colours) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "text is '', expected a map first, of tiles such as '0.' and '1^'"),
        ("floors 0 brown", "expected a map first"),
        (FLAT.replace("0.", "0x", 1), "line 1, column 1 (tile [4, 0]) is '0x', expected one of the levels 012345 and"),
        (FLAT[:-3] + "6.", "line 5, column 5 (tile [0, 4]) is '6.', expected one of the levels"),
        (FLAT[:-3], "line 5 is '0. 0. 0. 0.', expected 5 tiles, as in the first line"),
        (FLAT[15:], "rows is 4, expected an integer in [5, 15]"),
        (FLAT + "tiels 1 2", "line 6, word 1 is 'tiels', expected 'floors' or 'tiles' or 'light' or 'black'"),
        (FLAT + "red player at 0.5 0.5\n0. 0. 0. 0. 0.", "line 7, word 1 is '0.', expected 'floors' or"),
        (FLAT + "purple blob at 1 1", "line 6, word 2 is 'blob', expected 'cube' or 'sphere' or 'pyramid' or 'slab'"),
        (FLAT + "purple cube 1 at 1 1", "line 6, word 4 is 'at', expected 'm'"),
        (FLAT + "purple cube at 1", "line 6 is 'purple cube at 1', expected a number at its end"),
        (FLAT + "purple cube at 1.5 0.5 now", "line 6, word 6 is 'now', expected the end of the line"),
        (FLAT + "purple cube at 1.5 0.5 latent 1 2", "expected a number at its end"),
        (FLAT + "red player at 0.5 0.5 with gun", "line 6, word 7 is 'gun', expected 'freeze' or 'tag'"),
        (FLAT + "red player at 0.5 0.5\nred player at 1.5 0.5", "player_colours is ['red', 'red'], expected distinct"),
        (FLAT + "floors 0 pink", "line 6, word 3 is 'pink', expected 'brown' or 'olive'"),
        (FLAT + "floors by tile\nn n n n n", "line 6 is 'floors by tile', expected 5 lines of letters below"),
        (FLAT + "floors by tile\n" + "n n n n x\n" * 5, "line 7, word 5 is 'x', expected 'n' or 'v' or 'o'"),
        (FLAT + "floors 0 blue\nfloors 0 blue", "line 7 is 'floors', expected floors only once"),
        (FLAT + "tiles 2 2 m levels", "line 6, word 4 is 'm', expected 'm,'"),
        (FLAT + "light from 0 0 strength 2", "light[2] is 2.0, expected a number in [0, 1]"),
        (FLAT.replace("0.", "0^", 1), "the RAMP_NORTH at [4, 0] is 'level 0', expected a neighbour in the north, not"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        World.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)

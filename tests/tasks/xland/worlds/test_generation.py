import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.layouts import draw_tiles, label_regions
from procgen_bench.tasks.xland.worlds.options import WorldOptions
from procgen_bench.tasks.xland.worlds.states import TileWeights
from procgen_bench.tasks.xland.worlds.tiles import MIRRORED_EAST_WEST, MIRRORED_NORTH_SOUTH
from procgen_bench.tasks.xland.worlds.topology import playable_area
from procgen_bench.tasks.xland.worlds.validity import check_tiles
from procgen_bench.tasks.xland.worlds.wave_function_collapse import NoWorldError
from tests.tasks.xland.worlds.makers import assert_well_generated

FRESH = """
import numpy as np
from procgen_bench.tasks.xland.worlds.generation import generate_world, mutate
rng = np.random.default_rng(11)
for width, height in ((9, 9), (15, 5), (6, 13)):
    world = generate_world(rng, width, height, objects=None)
    print(world.fingerprint(), mutate(world, rng, 0.3).fingerprint())
"""


@pytest.mark.parametrize(
    ("side", "count"),
    [
        (9, 200),
        (15, 20),
        (5, 40),
        pytest.param(9, 10_000, marks=pytest.mark.slow),
        pytest.param(15, 1_000, marks=pytest.mark.slow),
    ],
)
def test_generated_worlds_are_legal_and_connected_with_things_on_them(side, count):
    rng = np.random.default_rng(count)
    for _ in range(count):
        world = generate_world(rng, side, side)
        assert world.shape == (side, side)
        assert_well_generated(world)
        assert len(set(zip(world.object_shapes.tolist(), world.object_colours.tolist()))) == 12
        assert 1 <= len(world.player_colours) <= 3


@pytest.mark.slow
def test_one_seed_one_world_in_a_fresh_process():
    process = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, check=True, text=True)
    here = []
    scope = {"print": lambda *words: here.append(" ".join(words))}
    exec(FRESH, scope)
    assert process.stdout.split("\n")[:-1] == here and len(set(here)) == 3


def test_worlds_of_one_seed_stay_as_they_are():
    """Suites are regenerated from seeds: whatever changes this world changes them all."""
    world = generate_world(np.random.default_rng(2021), 9, 9)
    assert world.fingerprint()[:16] == "56699b5660c086c8"


def test_options_left_to_chance_take_all_values():
    rng = np.random.default_rng(0)
    worlds = [generate_world(rng, *rng.integers(5, 10, size=2), objects=None) for _ in range(300)]
    assert {len(world.object_yaws) for world in worlds} == set(range(1, 13))
    players = Counter(len(world.player_yaws) for world in worlds)
    assert set(players) == {1, 2, 3} and min(players.values()) > 60
    assert {colour for world in worlds for colour in world.player_colours[:1].tolist()} == {0, 1, 2}
    assert {gadget for world in worlds for gadget in world.player_gadgets.tolist()} == {0, 1}
    assert {floor for world in worlds for floor in world.floors.ravel().tolist()} == set(range(6))
    assert {kind for world in worlds for kind in world.kinds.ravel().tolist()} == set(range(9))
    assert {level for world in worlds for level in world.levels.ravel().tolist()} == set(range(6))
    kinds = {kind for world in worlds for kind in zip(world.object_shapes.tolist(), world.object_colours.tolist())}
    assert kinds == {(shape, colour) for shape in range(4) for colour in range(3)}
    assert len({world.fingerprint() for world in worlds}) == 300


def test_options_are_kept():
    rng = np.random.default_rng(1)
    for _ in range(30):
        world = generate_world(
            rng, 7, 8, objects=3, players=2, max_level=2, gadgets=("tag",), playable=0.8, floors="level"
        )
        assert_well_generated(world, 0.8)
        assert world.shape == (8, 7) and len(world.object_yaws) == 3 and len(world.player_yaws) == 2
        assert (world.levels + (world.kinds > 0)).max() <= 2 and world.player_gadgets.tolist() == [1, 1]
        colours = [set(world.floors[world.levels == level].tolist()) for level in np.unique(world.levels)]
        assert all(len(of_level) == 1 for of_level in colours) and len(set.union(*colours)) == len(colours)
    assert len(generate_world(rng, objects=0).object_yaws) == 0


def test_floors_by_region_are_alike_within_each():
    rng, levels_with_two = np.random.default_rng(2), 0
    for _ in range(20):
        world = generate_world(rng, 9, 9, floors="region")
        regions = label_regions(np.array(world.levels))
        for label in np.unique(regions):
            assert len(set(world.floors[regions == label].tolist())) == 1
            assert len(set(world.levels[regions == label].tolist())) == 1
        levels_with_two += any(len(set(world.floors[world.levels == level].tolist())) > 1 for level in range(6))
    assert levels_with_two > 10


@pytest.mark.parametrize(("columns", "rows"), [(9, 9), (8, 6), (5, 12)])
def test_symmetric_worlds_are_their_own_reflection_and_legal(columns, rows):
    rng, seen = np.random.default_rng(3), Counter()
    for _ in range(80):
        kinds, levels = draw_tiles(rng, columns, rows, WorldOptions(symmetry=1.0))
        assert kinds.shape == levels.shape == (rows, columns) and kinds.dtype == levels.dtype == np.int8
        check_tiles(kinds, levels)
        east_west = (MIRRORED_EAST_WEST[kinds] == kinds[:, ::-1]).all() and (levels == levels[:, ::-1]).all()
        north_south = (MIRRORED_NORTH_SOUTH[kinds] == kinds[::-1]).all() and (levels == levels[::-1]).all()
        assert east_west or north_south
        seen[bool(east_west), bool(north_south)] += 1
    assert len(seen) == 3 and min(seen.values()) > 10
    kinds, levels = draw_tiles(rng, columns, rows, WorldOptions(symmetry=0.0))
    assert not (levels == levels[:, ::-1]).all() or not (levels == levels[::-1]).all()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"width": 4}, "width is 4, expected an integer in [5, 15]"),
        ({"height": 16}, "height is 16, expected an integer in [5, 15]"),
        ({"width": 9.0}, "width is 9.0, expected an integer in [5, 15]"),
        ({"objects": 13}, "objects is 13, expected an integer in [0, 12], or None"),
        ({"players": 0}, "players is 0, expected an integer in [1, 3], or None"),
        ({"symmetry": 1.5}, "symmetry is 1.5, expected a number in [0, 1]"),
        ({"playable": float("nan")}, "playable is nan, expected a number in [0, 1]"),
        ({"floors": "tile"}, "floors is 'tile', expected one of ['level', 'region'], or None"),
        ({"grouping": "size"}, "grouping is 'size', expected one of ['none', 'shape', 'colour'], or None"),
        ({"gadgets": ("gun",)}, "gadgets is ('gun',), expected one or more of ['freeze', 'tag']"),
        ({"gadgets": ()}, "gadgets is (), expected one or more of"),
        ({"max_level": 6}, "max_level is 6, expected an integer in [0, 5]"),
        ({"weights": TileWeights(ramp=-1)}, "weights.ramp is -1, expected a number in"),
    ],
)
def test_bad_options_are_refused(options, part):
    with pytest.raises(InvalidTaskError) as caught:
        generate_world(np.random.default_rng(0), **options)
    assert part in str(caught.value)


def test_options_that_no_world_fits_end_with_an_error():
    cliffs = TileWeights(ramp=0.0, coherence=1.0)
    with pytest.raises(
        NoWorldError, match="no world of 9 x 9 tiles holds 13 objects and players after 200 attempts: ask for"
    ):
        generate_world(np.random.default_rng(0), weights=cliffs, playable=1.0)


def test_open_rooms_can_be_asked_for():
    world = generate_world(np.random.default_rng(0), max_level=0, weights=TileWeights(diagonal=0.0), playable=1.0)
    assert not world.kinds.any() and not world.levels.any() and playable_area(world).all()

"""Symmetries keep tiles valid, and canonical forms are those of a world's tiles alone."""

from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world, moved_world, symmetries
from procgen_bench.tasks.xland.worlds.validity import check_tiles


def test_reflections_and_rotations_are_valid_and_of_one_canonical_form():
    rng = np.random.default_rng(0)
    for width, height in [(7, 7), (9, 6), (5, 8)] * 5:
        world = generate_world(rng, width, height)
        forms = list(symmetries(world.kinds, world.levels))
        assert (
            len(forms) == 8 and np.array_equal(forms[0][0], world.kinds) and np.array_equal(forms[0][1], world.levels)
        )
        for kinds, levels in forms:
            check_tiles(kinds, levels)
            assert canonical_world(replace(world, kinds=kinds, levels=levels)) == canonical_world(world)
        assert sum(np.array_equal(kinds, world.kinds) for kinds, _ in forms) < 8


def test_worlds_move_with_all_that_is_in_them():
    rng = np.random.default_rng(2)
    for width, height in [(7, 7), (9, 6)] * 4:
        world = generate_world(rng, width, height, players=2)
        for form, (kinds, levels) in enumerate(symmetries(world.kinds, world.levels)):
            moved = moved_world(world, form)
            moved.validate()
            assert np.array_equal(moved.kinds, kinds) and np.array_equal(moved.levels, levels)
            for thing in ("object", "player"):
                before, after = getattr(world, f"{thing}_positions"), getattr(moved, f"{thing}_positions")
                assert [floor_at(world, *place) for place in before] == [floor_at(moved, *place) for place in after]
            assert np.allclose(distances(moved), distances(world)), "metres between things stay"
            assert np.allclose(bearings(moved), (-1 if form >= 4 else 1) * bearings(world)), "and who sees what where"


def test_worlds_that_move_on_come_back():
    world = generate_world(np.random.default_rng(3), 9, 6, players=2)
    for step in (1, 4):  # a quarter turn, a mirror
        moved = world
        for _ in range(4):
            moved = moved_world(moved, step)
        for name in ("kinds", "floors", "tile_size"):
            assert np.array_equal(getattr(moved, name), getattr(world, name))
        assert np.allclose(moved.object_positions, world.object_positions)
        for now, then in ((moved.light[0], world.light[0]), (moved.player_yaws, world.player_yaws)):
            assert np.allclose(np.exp(1j * now), np.exp(1j * then))


def floor_at(world, x, y):
    """Colour of the floor and its height there, to a millionth."""
    return int(world.floors[int(y), int(x)]), round(world.floor_height(x, y), 6)


def distances(world):
    """Metres between all things."""
    places = np.concatenate([world.object_positions, world.player_positions]) * world.tile_size[:2]
    return np.hypot(*(places[:, np.newaxis] - places).T)


def bearings(world):
    """Sines of the angles between where players face and the light, the objects' directions and the places of those."""
    ahead = world.player_yaws[:, np.newaxis]
    ways = world.object_positions - world.player_positions[:, np.newaxis]
    x, y = (ways * world.tile_size[:2]).transpose(2, 0, 1)
    turned = (world.light[0] - ahead, world.object_yaws - ahead, np.arctan2(y, x) - ahead)
    return np.concatenate([np.sin(angles) for angles in turned], axis=1)


def test_other_tiles_have_another_canonical_form():
    rng = np.random.default_rng(1)
    worlds = [generate_world(rng, 7, 7) for _ in range(100)]
    assert len({canonical_world(world) for world in worlds}) >= 98
    world = worlds[0]
    assert canonical_world(replace(world, tile_size=world.tile_size * 2, floors=world.floors[::-1])) == canonical_world(
        world
    )
    levels = world.levels.copy()
    levels[tuple(np.argwhere(world.kinds == 0)[0])] ^= 1
    assert canonical_world(replace(world, levels=levels)) != canonical_world(world)

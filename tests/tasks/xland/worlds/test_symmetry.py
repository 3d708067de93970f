"""Symmetries keep tiles valid, and canonical forms are those of a world's tiles alone."""

from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world, symmetries
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

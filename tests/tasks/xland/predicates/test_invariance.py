"""What truths must not depend on: where in a flat world things are, and quarter turns of everything."""

import math
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from tests.tasks.xland.predicates.makers import random_states, random_world, world_of


def flat_states(rng: np.random.Generator, count: int) -> States:
    """Crowded states in one flat world with all things, around its middle."""
    states = random_states(rng, count, 2, num_worlds=1)
    world = random_world(rng)
    flat = scene_arrays([replace(world, kinds=np.zeros((15, 15), np.int8), levels=np.zeros((15, 15), np.int8))])
    states = replace(states, scenes=flat)
    middle = 7.5 * flat.tile_size[0, :2]
    for positions in (states.object_positions, states.player_positions):
        positions[..., :2] = middle + rng.normal(0, 1.2, positions[..., :2].shape)
        positions[..., 2] = rng.uniform(0.2, 1.5, positions.shape[:-1])
    return states


def test_a_flat_world_may_be_moved_under_the_things():
    rng = np.random.default_rng(10)
    states = flat_states(rng, 200)
    before = evaluate_atoms(states)
    states.object_positions[..., :2] += [1.37, -0.71]
    states.player_positions[..., :2] += [1.37, -0.71]
    assert np.array_equal(evaluate_atoms(states), before) and 0.1 < before.mean() < 0.9


def turned(kinds: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tiles after a quarter turn anticlockwise: north becomes west, and north-east north-west."""
    following = np.array([0, 4, 1, 2, 3, 8, 5, 6, 7], np.int8)
    # Arrays begin in the south-west, so that on paper they stand on their heads.
    return np.rot90(following[kinds], -1), np.rot90(levels, -1)


@pytest.mark.parametrize("seed", range(8))
def test_quarter_turns_of_everything_change_nothing(seed):
    rng = np.random.default_rng([11, seed])
    states = random_states(rng, 40, 2, num_worlds=1)
    truths = evaluate_atoms(states)
    for _ in range(4):
        scenes = states.scenes
        kinds, levels = turned(scenes.kinds[0], scenes.levels[0])
        depth = scenes.extents[0, 0] * scenes.tile_size[0, 1]
        cast = list(zip(scenes.object_shapes[0].tolist(), scenes.object_colours[0].tolist()))
        world = world_of(kinds, levels, cast, scenes.object_sizes[0], scenes.tile_size[0, [1, 0, 2]])
        states = replace(states, scenes=scene_arrays([world]))
        for positions in (states.object_positions, states.player_positions):
            x, y = positions[..., 0].copy(), positions[..., 1].copy()
            positions[..., 0], positions[..., 1] = depth - y, x
        w, x, y, z = np.moveaxis(states.object_rotations.copy(), -1, 0)
        states.object_rotations[:] = np.stack([w - z, x - y, x + y, w + z], axis=-1) * math.sqrt(0.5)
        states.player_yaws[:] += math.pi / 2
        assert np.array_equal(evaluate_atoms(states), truths)
    assert 0.05 < truths.mean() < 0.95

"""What truths must not depend on: where in a flat world things are, and quarter turns of everything."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy.spatial.transform import Rotation

from procgen_bench.tasks.xland.predicates.bodies import BODY, CAPSULE, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.geometry import closest_point
from procgen_bench.tasks.xland.predicates.ground import GROUND, ground_obstructs, place_ground
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from tests.tasks.xland.predicates.makers import random_states, random_world, scene_of, world_of
from tests.tasks.xland.predicates.reference_predicates import Body

SHAPES = ("cube", "sphere", "pyramid", "slab")


def placed(shape: str, size: float, centre, rotation: Rotation) -> tuple[np.ndarray, Body]:
    """A body as the kernels and as the reference know it."""
    x, y, z, w = rotation.as_quat()
    states = scene_of({f"black {shape}": (size, centre, [w, x, y, z])}, [(centre, 0.7, 0.0)])
    bodies = np.empty(2, BODY)
    place_bodies(bodies, np.empty(1, CAMERA), states.scenes, states.arrays, 0)
    assert bodies["shape"].tolist() == [SHAPES.index(shape), CAPSULE]
    return bodies, Body(f"black {shape}", shape, size, np.array(centre), rotation)


def points_around(rng: np.random.Generator, centre, size: float) -> np.ndarray:
    """Points inside, on all sides, and far away."""
    return np.array(centre) + rng.normal(0, 1, (400, 3)) * size * rng.choice([0.2, 0.6, 3.0], (400, 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_closest_points_of_objects_are_those_of_their_faces(shape):
    rng = np.random.default_rng(SHAPES.index(shape))
    rotations = [Rotation.identity(), *Rotation.random(4, rng=rng)]
    for rotation in rotations:
        size, centre = rng.uniform(0.3, 2.0), rng.uniform(-3, 3, 3)
        bodies, reference = placed(shape, size, centre, rotation)
        for point in points_around(rng, centre, size):
            assert np.allclose(closest_point(bodies[0], *point), reference.closest(point), rtol=0, atol=1e-9)


def test_closest_points_of_players_are_on_their_capsules():
    rng = np.random.default_rng(4)
    centre = (1.0, 2.0, 3.0)
    bodies, _ = placed("cube", 1.0, centre, Rotation.identity())
    reference = Body("player", "player", 0.0, np.array(centre), Rotation.from_euler("z", 0.7))
    for point in points_around(rng, centre, 1.0):
        assert np.allclose(closest_point(bodies[1], *point), reference.closest(point), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_points_on_the_surface_are_their_own_closest(shape):
    rng = np.random.default_rng(5)
    bodies, _ = placed(shape, 0.8, (0.5, -1.0, 2.0), Rotation.random(rng=rng))
    for point in points_around(rng, (0.5, -1.0, 2.0), 0.8):
        for body in bodies:
            once = closest_point(body, *point)
            assert np.allclose(closest_point(body, *once), once, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_closest_points_of_the_centre_are_on_the_surface(shape):
    # Several are equally close; whichever is taken is a closest one.
    centre, size = (1.0, 1.0, 1.0), 1.0
    distance = {"cube": 0.5, "sphere": 0.5, "pyramid": 0.25, "slab": 0.0625}[shape]
    bodies, _ = placed(shape, size, centre, Rotation.identity())
    for body, expected in zip(bodies, (distance, 0.3)):
        assert np.linalg.norm(np.subtract(closest_point(body, *centre), centre)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
def test_enclosing_balls_enclose(shape):
    rng = np.random.default_rng(6)
    bodies, reference = placed(shape, 1.3, (0.0, 0.0, 0.0), Rotation.random(rng=rng))
    if shape != "sphere":
        furthest = np.linalg.norm(reference.corners, axis=1).max()
        assert furthest <= bodies[0]["reach"] <= furthest * (1 + 1e-8)
    for body in bodies:
        surface = np.array([closest_point(body, *point) for point in points_around(rng, (0, 0, 0), 1.3)])
        assert (np.linalg.norm(surface, axis=1) <= body["reach"]).all()


@njit
def obstructs(ground, a, b):
    """Whether the ground of :func:`flat_ground` stands between two points."""
    return ground_obstructs(ground, a[0], a[1], a[2], b[0], b[1], b[2])


def flat_ground(level: int, tile_size: np.ndarray) -> np.void:
    """9 x 9 flat tiles."""
    world = world_of(np.zeros((9, 9)), np.full((9, 9), level), [], [], tile_size)
    ground = np.empty(1, GROUND)[0]
    place_ground(ground, scene_arrays([world]), 0)
    return ground


def test_what_lies_on_the_ground_is_not_behind_it():
    # The height of a level is no round number, so that rounding may lower either point a little.
    rng = np.random.default_rng(0)
    for _ in range(300):
        level, tile_size = int(rng.integers(1, 6)), rng.uniform(0.8, 3.5, 3)
        ground, floor = flat_ground(level, tile_size), level * tile_size[2]
        eye, point, other = (np.append(rng.uniform(0, 9, 2) * tile_size[:2], floor) for _ in range(3))
        eye[2] += rng.uniform(0.2, 2.0)
        for begin, end in ((eye, point), (point, eye), (point, other)):
            assert not obstructs(ground, begin, end)
        point[2] -= 1e-6
        assert obstructs(ground, eye, point) and obstructs(ground, point, eye) and obstructs(ground, point, other)


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

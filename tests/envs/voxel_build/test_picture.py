"""The compiled raycaster against NumPy, which tests every ray against every block; and what the pictures show."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.voxel_build import VoxelBuildEnv
from procgen_bench.envs.voxel_build.simulation import TEXTURES
from procgen_bench.envs.voxel_build.textures import BORDER_COLOURS, paint_textures
from procgen_bench.tasks.voxel_build.actions import ACTIONS
from procgen_bench.tasks.voxel_build.task import SIDE
from tests.envs.voxel_build.reference_picture import reference_picture
from tests.envs.voxel_build.test_dynamics import random_builder

NUMBER = {name: number for number, name in enumerate(ACTIONS)}
START = (5, 5, 0)


def picture_after(*names: str, start=START) -> np.ndarray:
    env = VoxelBuildEnv()
    observation, _ = env.reset(options={"task": "test/0", "start": start})
    for name in names:
        observation, *_ = env.step(NUMBER[name])
    return observation["observation"]


def share(picture: np.ndarray, colour) -> float:
    return float((picture == colour).all(axis=-1).mean())


def assert_same(found: np.ndarray, expected: np.ndarray, pitch: int) -> None:
    """To the pixel. Straight up and down alone, whole-number ratios put rays exactly onto edges of blocks (all of the
    picture's diagonals) and of texels (a few others), of which either side may be shown.
    """
    differing = (found != expected).any(axis=-1)
    limit = 0
    if pitch in (0, 6):
        line, column = np.ogrid[: differing.shape[0], : differing.shape[1]]
        differing &= abs(2 * line - (differing.shape[0] - 1)) != abs(2 * column - (differing.shape[1] - 1))
        limit = 40
    assert differing.sum() <= limit, f"pixels differ: {np.argwhere(differing).tolist()}"


def test_pictures_of_random_play_are_the_reference_s():
    env, rng = gymnasium.make_vec("VoxelBuild-v0", num_envs=6), np.random.default_rng(1)
    observations, _ = env.reset(seed=0)
    simulation = env.unwrapped.simulation
    seen_blocks, seen_poses = 0, set()
    for step in range(90):
        observations, *_ = env.step(random_builder(rng, 6))
        if step % 4 == 3:
            for row in range(6):
                expected = reference_picture(simulation.arenas[row], simulation.poses[row], TEXTURES)
                assert_same(observations["observation"][row], expected, simulation.poses[row, 4])
                seen_blocks += simulation.arenas[row].any()
                seen_poses.add(tuple(simulation.poses[row, 3:].tolist()))
    assert seen_blocks > 60 and len(seen_poses) > 12


@pytest.mark.parametrize("heading", range(4))
@pytest.mark.parametrize("pitch", range(7))
def test_every_heading_and_pitch_is_the_reference_s(heading, pitch):
    simulation = VoxelBuildEnv().simulation
    rng = np.random.default_rng([heading, pitch])
    simulation.arenas[0] = rng.integers(1, 4, (11, 11, 3)) * (rng.random((11, 11, 3)) < 0.1)
    simulation.arenas[0, 4:7, 4:7] = 0
    simulation.poses[0] = 5, 5, 0, heading, pitch
    found = picture_of(simulation)
    expected = reference_picture(simulation.arenas[0], simulation.poses[0], TEXTURES)
    assert_same(found, expected, pitch)


def picture_of(simulation) -> np.ndarray:
    """The picture of a simulation's state, drawn by a turn there and back."""
    for name in ("turn left", "turn right"):
        simulation.step(np.array([NUMBER[name]]), np.ones(1, bool))
    return simulation.observations["observation"][0]


def test_each_heading_sees_its_own_border():
    for heading, (name, colour) in enumerate(BORDER_COLOURS.items()):
        picture = picture_after("look down", start=(5, 5, heading)).astype(int)
        found = {other: (abs(picture - rgb).max(axis=-1) < 12).sum() for other, rgb in BORDER_COLOURS.items()}
        assert found[name] > 50, (name, colour, found)
        assert found[list(BORDER_COLOURS)[(heading + 2) % 4]] == 0


def test_the_floor_tells_the_place():
    """Straight down, no two cells of the arena look alike."""
    means = {
        (x, y): picture_after(*["look down"] * 3, start=(x, y, 0)).mean(axis=(0, 1))
        for x in (0, 3, 5, 10)
        for y in (0, 4, 10)
    }
    places = list(means)
    for k, one in enumerate(places):
        for other in places[:k]:
            assert abs(means[one] - means[other]).max() > 4, (one, other)


def test_block_types_and_faces_are_distinguished():
    faces = TEXTURES.blocks.reshape(3, 4, -1, 3).mean(axis=2)
    for one in range(12):
        for other in range(one):
            assert abs(faces[divmod(one, 4)] - faces[divmod(other, 4)]).max() > 10
    pictures = [picture_after("look down", "look down", f"place {name}") for name in ("stone", "planks", "diamond")]
    assert len({picture.tobytes() for picture in pictures}) == 3


def test_textures_are_the_same_every_time():
    for one, other in zip(paint_textures(SIDE), TEXTURES):
        assert one.dtype == np.uint8 and np.array_equal(one, other)


def test_the_goal_is_not_in_the_picture():
    env = VoxelBuildEnv()
    pictures = [env.reset(options={"task": name, "start": START})[0]["observation"] for name in ("test/0", "test/1")]
    assert np.array_equal(*pictures)


def test_what_changes_nothing_leaves_the_picture():
    before = picture_after("look down", "look down", "place stone")
    for name in ("no-op", "move forward"):
        assert np.array_equal(picture_after("look down", "look down", "place stone", name), before)
    assert (picture_after("look down", "look down", "place stone", "break") != before).any()


def test_far_from_the_arena_there_is_grass_and_sky():
    env = VoxelBuildEnv()
    env.reset(options={"task": "test/0", "start": START})
    for _ in range(60):
        observation, *_ = env.step(NUMBER["move forward"])
    picture = observation["observation"].astype(int)
    assert (picture[:40, :, 2] > picture[:40, :, 1]).all()
    assert (picture[60:, :, 1] > picture[60:, :, 2]).all()

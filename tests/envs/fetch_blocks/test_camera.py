"""Camera observations: what is seen, that it repeats, and that rows see what the single environment does."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.fetch_blocks.rendering import CAMERAS, draw_image
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from tests.tasks.fetch_blocks.test_tasks import TASK

SIZE = 48
ACTION = np.array([0.2, -0.1, -0.3, -1.0], np.float32)


def make(environment_id="FetchBlocks-v0", camera="front", **keywords):
    return gymnasium.make(environment_id, camera=camera, image_size=SIZE, **keywords)


@pytest.mark.parametrize("environment_id, camera", [("FetchBlocks-v0", "top"), ("FetchProgram-v0", "gripper")])
def test_the_picture_is_one_more_part_of_the_observation(environment_id, camera):
    env, blind = make(environment_id, camera), gymnasium.make(environment_id)
    (observation, _), (without, _) = env.reset(seed=0), blind.reset(seed=0)
    assert env.observation_space.contains(observation) and observation["image"].shape == (SIZE, SIZE, 3)
    for action in (ACTION, ACTION):
        observation, without = env.step(action)[0], blind.step(action)[0]
        assert set(observation) - set(without) == {"image"}
        assert all(np.array_equal(observation[key], without[key]) for key in without)


def test_pictures_repeat_and_cameras_differ():
    simulation = FetchBlocksSimulation(4)
    first, second = ({camera: draw_image(simulation, camera, SIZE) for camera in CAMERAS} for _ in range(2))
    for camera in CAMERAS:
        assert np.array_equal(first[camera], second[camera])
        assert first[camera].std() > 10, "something is seen"
    assert not np.array_equal(first["front"], first["top"]) and not np.array_equal(first["top"], first["gripper"])


def test_from_the_top_a_block_is_where_its_place_says():
    simulation = FetchBlocksSimulation(2)
    places = np.array([[1.42, 0.55, 0.425], [1.42, 0.95, 0.425]])
    simulation.place(places)
    simulation.forward()
    image = draw_image(simulation, "top", 200).astype(float)
    scale = 100 / np.tan(np.deg2rad(22.5)) / (0.95 + 0.42 - 0.45)
    for x, y, _ in places:  # right in the picture is +y or -y, the same for both
        row = round(100 + scale * (x - 1.3))
        around = image[row - 2 : row + 3]
        column = [round(100 + side * scale * (y - 0.75)) for side in (1, -1)]
        orange = [around[:, c - 2 : c + 3].mean(axis=(0, 1)) for c in column]
        assert all(colour[0] > 1.3 * colour[2] for colour in orange), "both are orange, and mirror each other"


def test_rows_and_saved_states_see_what_the_single_environment_sees():
    env, other = make(), make()
    rows = gymnasium.make_vec(
        "FetchBlocks-v0", 3, vectorization_mode="vector_entry_point", num_threads=2, camera="front", image_size=SIZE
    )
    observation, _ = env.reset(seed=5, options={"task": TASK})
    in_rows, _ = rows.reset(seed=[5, 6, 7], options={"task": TASK})
    assert all(np.array_equal(image, observation["image"]) for image in in_rows["image"])
    for _ in range(3):
        observation, in_rows = env.step(ACTION)[0], rows.step(np.stack([ACTION] * 3))[0]
        assert all(np.array_equal(image, observation["image"]) for image in in_rows["image"])
    seen, _ = other.reset(options={"state": env.unwrapped.save_state()})
    assert np.array_equal(seen["image"], observation["image"])
    rows.close()


@pytest.mark.parametrize("keywords", [{"camera": "side"}, {"image_size": 0}, {"image_size": 481}])
def test_what_there_is_not_is_refused(keywords):
    with pytest.raises(InvalidOptionError, match=f"{next(iter(keywords))} is .*expected"):
        gymnasium.make("FetchBlocks-v0", **keywords)

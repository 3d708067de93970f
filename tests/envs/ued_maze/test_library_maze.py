"""What the backend ``"minigrid"`` offers of the library, and what happens without it."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from minigrid.wrappers import FullyObsWrapper, ImgObsWrapper, OneHotPartialObsWrapper, RGBImgPartialObsWrapper

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.envs.ued_maze import UEDMazeEnv
from procgen_bench.envs.ued_maze.library_maze import LibraryMaze
from procgen_bench.tasks.ued_maze import UEDMazeTaskSpace

ID = "UEDMaze-v0"
SPACE = UEDMazeTaskSpace()
TASK = SPACE.suite("named")["StandardMaze"]


@pytest.mark.parametrize(
    ("wrapper", "shape"),
    [
        (FullyObsWrapper, (15, 15, 3)),
        (OneHotPartialObsWrapper, (5, 5, 20)),
        (RGBImgPartialObsWrapper, (40, 40, 3)),
        (ImgObsWrapper, (5, 5, 3)),
    ],
)
def test_the_librarys_wrappers_work_on_its_maze(wrapper, shape):
    env = gymnasium.make(ID, backend="minigrid")
    env.reset(seed=0, options={"task": TASK})
    wrapped = wrapper(env.unwrapped.library_maze)
    observation, _ = wrapped.reset()
    rewards = [0.0]
    for action in SPACE.solve(TASK).tolist():
        observation, reward, terminated, _, _ = wrapped.step(action)
        rewards.append(reward)
    image = observation if wrapper is ImgObsWrapper else observation["image"]
    assert terminated and image.shape == shape and wrapped.observation_space.contains(observation)
    assert rewards[:-1] == [0.0] * (len(rewards) - 1) and rewards[-1] == 1 - 0.9 * (54 / 250)


def test_the_wrapper_that_keeps_the_image_works_on_the_environment_itself():
    plain, wrapped = gymnasium.make(ID), ImgObsWrapper(gymnasium.make(ID))
    observation, _ = plain.reset(seed=3)
    image, _ = wrapped.reset(seed=3)
    assert np.array_equal(image, observation["image"]) and wrapped.observation_space.contains(image)


def test_the_image_s_space_is_the_library_s():
    assert UEDMazeEnv.observation_space["image"].shape == LibraryMaze(TASK).observation_space["image"].shape
    assert (LibraryMaze(TASK).max_steps, LibraryMaze(TASK).see_through_walls) == (250, True)


def test_a_maze_without_a_task_asks_for_one():
    with pytest.raises(ResetNeededError, match="no task yet; call reset with options="):
        LibraryMaze().reset()


def test_the_compiled_backend_has_no_maze_of_the_library():
    env = UEDMazeEnv()
    with pytest.raises(InvalidOptionError, match="expected 'minigrid': only it has library_maze"):
        _ = env.library_maze


def test_the_library_is_loaded_by_its_backend_alone_and_missed_in_one_line():
    program = (
        "import sys; sys.modules['minigrid'] = None\n"
        "import gymnasium, procgen_bench\n"
        "env = gymnasium.make('UEDMaze-v0', tasks='named'); env.reset(seed=0); env.step(2)\n"
        "try:\n    gymnasium.make('UEDMaze-v0', backend='minigrid')\n"
        "except procgen_bench.core.errors.MissingExtraError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "minigrid is not installed" in done.stdout and "procgen-bench[minigrid]" in done.stdout
    assert done.stdout.count("\n") == 1

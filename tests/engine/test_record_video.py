"""Gymnasium's own recorder films our environments, with what the extra ``record`` installs."""

import gc

import gymnasium
import imageio.v3
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids


# MoviePy leaves the pipe to its encoder to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_episode_is_filmed(tmp_path):
    env = gymnasium.make("GridWorld-v0", render_mode="rgb_array", tasks="targets/A")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "films"))
    env.reset(seed=0)
    frames = [env.unwrapped.render()]
    for action in env.unwrapped.task_space.solve(env.unwrapped.task):
        *_, terminated, _, _ = env.step(action)
        frames.append(env.unwrapped.render())
    assert terminated
    env.close()
    gc.collect()
    film = imageio.v3.imread(tmp_path / "films" / "rl-video-episode-0.mp4")
    assert film.shape == (len(frames), *frames[0].shape)
    apart = [np.abs(shown.astype(int) - drawn).mean() for shown, drawn in zip(film, frames)]
    assert max(apart) < 10, "the film shows something else"

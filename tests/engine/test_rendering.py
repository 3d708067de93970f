"""Gymnasium's own recorder films our environments, with what the extra ``record`` installs."""

import gc
import time

import gymnasium
import imageio.v3
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.engine.real_time import HeldKeys
from procgen_bench.engine.rendering import Pace, wrapped


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one", ["one"]),
        ("one two three", ["one two", "three"]),
        ("r: go   n: new", ["r: go  ", "n: new"]),
        ("immeasurable one two", ["immeasurable", "one two"]),
    ],
)
def test_text_is_broken_at_spaces(text, lines):
    assert wrapped(text, lambda part: len(part) <= 8) == lines
    assert " ".join(lines) == text


def test_a_pace_lets_no_more_rounds_through_than_it_has():
    pace, began = Pace(50.0), time.monotonic()
    for _ in range(5):
        pace.wait()
    assert time.monotonic() - began >= 4 / 50


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


def test_keys_are_held_until_they_are_released():
    keys = HeldKeys()
    keys.press("w")
    keys.press("a")
    assert keys.next_step() == {"w", "a"}
    keys.release("a")
    assert keys.next_step() == keys.next_step() == {"w"}
    keys.release("w")
    assert keys.next_step() == set()
    keys.release("x")  # pressed before anybody looked


def test_a_tap_between_two_steps_is_held_in_one():
    keys = HeldKeys()
    keys.press("e")
    keys.release("e")
    assert keys.next_step() == {"e"}
    assert keys.next_step() == set()


def test_toggles_stay_until_they_are_pressed_again_or_let_go():
    keys = HeldKeys(frozenset({"space"}))
    for expected in ({"space"}, set(), {"space"}):
        keys.press("space")
        keys.release("space")
        assert keys.next_step() == keys.next_step() == expected
    keys.press("w")
    keys.let_go()
    assert keys.next_step() == {"w"}

import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.bit_grid import BitGridEnv, rendering
from procgen_bench.tasks.bit_grid import BitGridTask

TOGGLE, RIGHT = 4, 7
GOAL = np.zeros((13, 13), np.int8)
GOAL[0, 1:3] = 1  # (1, 0) and (2, 0)
TASK = BitGridTask(np.array([0, 0], np.int8), GOAL)


def after(render_mode: str, actions=()) -> BitGridEnv:
    env = BitGridEnv(render_mode=render_mode)
    env.reset(seed=0, options={"task": TASK})
    for action in actions:
        env.step(action)
    return env


def tile(frame: np.ndarray, x: int, y: int) -> np.ndarray:
    return frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]


def share(pixels: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((pixels == colour).all(axis=-1).mean())


@pytest.mark.parametrize("side", [3, 13, 32])
def test_frames_are_uint8_and_of_the_documented_size(side):
    env = BitGridEnv(render_mode="rgb_array", side=side)
    env.reset(seed=0)
    frame = env.render()
    assert frame.shape == (32 * side, 32 * side, 3) and frame.dtype == np.uint8


def test_everything_is_drawn_in_its_colour_on_its_cell():
    """A wrong bit at (0, 0), one that is right at (1, 0) with the agent gone on, and one missing at (2, 0)."""
    frame = after("rgb_array", [TOGGLE, RIGHT, TOGGLE, RIGHT]).render()
    things = {
        rendering.WRONG_COLOUR: {(0, 0)},
        rendering.ON_COLOUR: {(1, 0)},
        rendering.GOAL_COLOUR: {(1, 0), (2, 0)},
        rendering.AGENT_COLOUR: {(2, 0)},
    }
    for colour, cells in things.items():
        found = {(x, y) for x in range(13) for y in range(13) if share(tile(frame, x, y), colour) > 0.05}
        assert found == cells, colour
    assert share(tile(frame, 5, 5), rendering.OFF_COLOUR) > 0.9


def test_the_agent_hides_neither_bit_nor_goal():
    frame = after("rgb_array", [RIGHT, TOGGLE]).render()
    for colour in (rendering.AGENT_COLOUR, rendering.ON_COLOUR, rendering.GOAL_COLOUR):
        assert share(tile(frame, 1, 0), colour) > 0.05


def test_text_tells_the_four_kinds_of_cells_and_the_agent():
    env = after("ansi")
    lines = env.render().split("\n")
    assert lines == [".@o o " + ". " * 10] + [". " * 13] * 12
    for action in (TOGGLE, RIGHT, TOGGLE):
        env.step(action)
    assert env.render().split("\n")[0] == "x #@o " + ". " * 10


def test_a_frame_is_the_callers_own():
    env = after("rgb_array")
    frame = env.render()
    kept = frame.copy()
    frame[:] = 0
    assert np.array_equal(env.render(), kept)


@pytest.mark.parametrize("render_mode", ["rgb_array", "ansi"])
def test_a_vector_environment_renders_every_row_as_the_single_one(render_mode):
    env = gymnasium.make_vec("BitGrid-v0", num_envs=3, render_mode=render_mode, side=4)
    env.reset(seed=0)
    for picture, task in zip(env.render(), env.unwrapped.tasks, strict=True):
        single = BitGridEnv(render_mode=render_mode, side=4)
        single.reset(options={"task": task})
        assert np.array_equal(picture, single.render())


def test_every_key_moves_where_it_points():
    """Keys around the right hand's home row for the diagonals, w a s d (and so the arrows) for the straight moves."""
    ways = {
        "w": (0, -1),
        "a": (-1, 0),
        "s": (0, 1),
        "d": (1, 0),
        "u": (-1, -1),
        "o": (1, -1),
        "j": (-1, 1),
        "l": (1, 1),
    }
    env = BitGridEnv()
    assert set(env.keys_to_action) == {*ways, "t"} and sorted(env.keys_to_action.values()) == list(range(9))
    for key, (x, y) in ways.items():
        env.reset(options={"task": TASK, "start": [6, 6]})
        observation, *_ = env.step(env.keys_to_action[key])
        assert np.argwhere(observation["observation"][..., 1]).tolist() == [[6 + y, 6 + x]]
    observation, *_ = env.step(env.keys_to_action["t"])
    assert np.argwhere(observation["achieved_goal"]).tolist() == [[7, 7]]

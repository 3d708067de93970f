import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.ued_maze import UEDMazeEnv, rendering
from procgen_bench.tasks.ued_maze import UEDMazeTask

TASK = UEDMazeTask.from_text("\n".join([".............", ".#>..........", "...#...G.....", *["............."] * 10]))
RIGHT, FORWARD = 1, 2


def reset_env(render_mode: str) -> UEDMazeEnv:
    env = UEDMazeEnv(render_mode=render_mode)
    env.reset(seed=0, options={"task": TASK})
    return env


def tile(frame: np.ndarray, x: int, y: int) -> np.ndarray:
    """Of the maze: the border is at -1 and 13."""
    return frame[32 * (y + 1) : 32 * (y + 2), 32 * (x + 1) : 32 * (x + 2)]


def lighter(colour) -> tuple[int, ...]:
    return tuple(round(part + rendering.HIGHLIGHT * (255 - part)) for part in colour)


def share(pixels: np.ndarray, colour: tuple[int, ...]) -> float:
    return float((pixels == colour).all(axis=-1).mean())


def test_frames_are_uint8_and_of_the_documented_size():
    frame = reset_env("rgb_array").render()
    assert (frame.shape, frame.dtype) == ((480, 480, 3), np.uint8)


@pytest.mark.parametrize(
    ("x", "y", "colour", "at_least"),
    [
        (-1, 6, rendering.WALL_COLOUR, 0.99),
        (3, -1, lighter(rendering.WALL_COLOUR), 0.99),
        (1, 1, rendering.WALL_COLOUR, 0.99),
        (3, 2, lighter(rendering.WALL_COLOUR), 0.99),
        (7, 2, rendering.GOAL_COLOUR, 0.9),
        (2, 1, lighter(rendering.AGENT_COLOUR), 0.15),
        (9, 9, rendering.FLOOR_COLOUR, 0.9),
        (6, 3, lighter(rendering.FLOOR_COLOUR), 0.9),
        (7, 1, rendering.FLOOR_COLOUR, 0.9),
    ],
)
def test_tiles_look_like_what_they_are(x, y, colour, at_least):
    assert share(tile(reset_env("rgb_array").render(), x, y), colour) >= at_least


@pytest.mark.parametrize("steps", [[], [RIGHT], [RIGHT, RIGHT], [RIGHT, RIGHT, RIGHT, FORWARD]])
def test_what_is_lighter_is_what_minigrid_makes_lighter(steps):
    frames = []
    for backend in ("numba", "minigrid"):
        env = UEDMazeEnv(render_mode="rgb_array", backend=backend)
        env.reset(seed=0, options={"task": TASK})
        for action in steps:
            env.step(action)
        frames.append(env.render())
    ours, theirs = ([tile(frame, x, y).min() > 0 for x in range(-1, 14) for y in range(-1, 14)] for frame in frames)
    assert ours == theirs and 10 < sum(ours) <= 25 + 2 * 15 + 2 * 13


def test_the_goal_is_lighter_when_it_is_seen():
    env = reset_env("rgb_array")
    env.step(FORWARD)
    assert share(tile(env.render(), 7, 2), lighter(rendering.GOAL_COLOUR)) > 0.9


def test_text_shows_the_maze_in_its_border():
    env = reset_env("ansi")
    env.step(FORWARD)
    lines = env.render().splitlines()
    assert lines[0] == lines[-1] == "#" * 15 and len(lines) == 15
    assert lines[2] == "#.#.>.........#" and lines[3] == "#...#...G.....#"


def test_the_library_draws_its_own():
    env = gymnasium.make("UEDMaze-v0", backend="minigrid", render_mode="ansi")
    env.reset(seed=0, options={"task": TASK})
    text = env.render()
    assert len(text.splitlines()) == 15 and ">>" in text and "GG" in text

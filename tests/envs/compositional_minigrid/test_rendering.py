import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

from procgen_bench.cli import app
from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv, rendering
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from tests.tasks.compositional_minigrid.reference_room import FORWARD, LEFT, PICKUP, TOGGLE

SPACE = CompositionalMiniGridTaskSpace()
TASK = CompositionalMiniGridTask.from_text("""
    subtasks: pick up key, open door, drop ball in box, reach goal
    key: yellow
    ball: red
    box: purple
    ########
    #...D..#
    #..>K..#
    #......#
    #......#
    #.O.B..#
    #G.....#
    ########""")
YELLOW, RED, PURPLE = (rendering.THING_COLOURS[place] for place in (4, 0, 3))


def reset_env(render_mode: str) -> CompositionalMiniGridEnv:
    env = CompositionalMiniGridEnv(render_mode=render_mode)
    env.reset(seed=0, options={"task": TASK})
    return env


def tile(frame: np.ndarray, x: int, y: int) -> np.ndarray:
    return frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]


def lighter(colour) -> tuple[int, ...]:
    return tuple(round(part + rendering.HIGHLIGHT * (255 - part)) for part in colour)


def share(pixels: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((pixels == colour).all(axis=-1).mean())


def test_frames_are_uint8_and_of_the_documented_size():
    frame = reset_env("rgb_array").render()
    assert (frame.shape, frame.dtype) == ((288, 256, 3), np.uint8)


@pytest.mark.parametrize(
    ("x", "y", "colour", "at_least"),
    [
        (0, 4, rendering.WALL_COLOUR, 0.99),
        (7, 4, lighter(rendering.WALL_COLOUR), 0.99),
        (1, 6, rendering.GOAL_COLOUR, 0.9),
        (3, 2, lighter(rendering.AGENT_COLOUR), 0.15),
        (4, 2, lighter(YELLOW), 0.1),
        (4, 1, lighter(YELLOW), 0.1),
        (2, 5, RED, 0.25),
        (4, 5, lighter(PURPLE), 0.1),
        (1, 3, rendering.FLOOR_COLOUR, 0.9),
        (5, 3, lighter(rendering.FLOOR_COLOUR), 0.9),
        (0, 8, rendering.BAR_COLOUR, 0.99),
        (1, 8, YELLOW, 0.1),
        (2, 8, YELLOW, 0.1),
        (3, 8, rendering.BAR_COLOUR, 0.99),
        (4, 8, rendering.BAR_COLOUR, 0.99),
        (5, 8, PURPLE, 0.1),
        (6, 8, rendering.GOAL_COLOUR, 0.7),
        (7, 8, rendering.BAR_COLOUR, 0.99),
    ],
)
def test_every_thing_is_drawn_in_its_colour_on_its_tile(x, y, colour, at_least):
    assert share(tile(reset_env("rgb_array").render(), x, y), colour) >= at_least


def test_what_is_done_is_underlined_and_what_is_carried_shown():
    env = reset_env("rgb_array")
    env.step(PICKUP)
    frame = env.render()
    assert share(tile(frame, 1, 8), rendering.DONE_COLOUR) > 0.1
    assert share(tile(frame, 2, 8), rendering.DONE_COLOUR) == 0
    assert share(tile(frame, 0, 8), YELLOW) > 0.1
    assert share(tile(frame, 4, 2), lighter(rendering.FLOOR_COLOUR)) > 0.9


def test_text_shows_the_map_the_hand_and_the_subtasks():
    env = reset_env("ansi")
    lines = env.render().splitlines()
    assert lines[:8] == TASK.to_text().splitlines()[-8:]
    assert lines[8:] == [
        "carrying: nothing",
        "[ ] pick up key",
        "[ ] open door",
        "[ ] drop ball in box",
        "[ ] reach goal",
    ]
    for action in (PICKUP, FORWARD, LEFT, TOGGLE):
        env.step(action)
    lines = env.render().splitlines()
    assert lines[1:3] == ["#.../..#", "#...^..#"]
    assert lines[8:11] == ["carrying: yellow key", "[x] pick up key", "[x] open door"]


def test_the_library_draws_floor_and_walls_alike():
    """So what is lighter in our picture, is in the library's."""
    ours, library = (
        gymnasium.make("CompositionalMiniGrid-v0", backend=backend, render_mode="rgb_array", tasks="test")
        for backend in ("numba", "minigrid")
    )
    rng = np.random.default_rng(0)
    shades = set()
    for seed in range(10):
        for env in (ours, library):
            env.reset(seed=seed)
        for action in rng.integers(3, size=6).tolist():
            frames = [env.render()[16:256:32, 16::32] for env in (ours, library)]
            full = library.unwrapped.library_room.grid.encode()[..., 0].T
            x, y = library.unwrapped.library_room.agent_pos
            bare = full <= 2
            bare[y, x] = False
            assert np.array_equal(frames[0][bare], frames[1][bare])
            shades |= {tuple(shade) for shade in frames[0][bare].tolist()}
            ends = [env.step(action)[2] for env in (ours, library)]
            if any(ends):
                break
    assert len(shades) == 4


def test_keys_play_a_task_to_its_end():
    env_type = CompositionalMiniGridEnv
    assert sorted(env_type.keys_to_action.values()) == list(range(7))
    key_of = {action: key for key, action in env_type.keys_to_action.items()}
    keys = "".join(key_of[int(action)] for action in SPACE.solve(SPACE.suite("test")["door+drop-4"]))
    command = ["play", "CompositionalMiniGrid-v0", "--text", "--task", "test/door+drop-4"]
    played = CliRunner().invoke(app, command, input=keys, catch_exceptions=False)
    assert played.exit_code == 0
    assert f"step {len(keys)} of 256   return 1.000   solved" in played.stdout
    assert "[x] drop ball in box" in played.stdout

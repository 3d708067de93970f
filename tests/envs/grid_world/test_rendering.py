import gymnasium
import numpy as np
import pygame
import pytest

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.core.errors import ResetNeededError
from procgen_bench.engine.rendering import NoDisplayError, Window
from procgen_bench.envs.grid_world import GridWorldEnv, rendering
from procgen_bench.tasks.grid_world import GridWorldTask

RIGHT, DOWN, LEFT, UP = range(4)
TASK = GridWorldTask.from_text("""
    .aA.....
    .#~.....
    .bB.....
    ........
    ........
    ........
    ........
    .......G
""")


def reset_env(render_mode: str, task=TASK) -> GridWorldEnv:
    env = GridWorldEnv(render_mode=render_mode)
    env.reset(seed=0, options={"task": task})
    return env


def tile(frame: np.ndarray, x: int, y: int) -> np.ndarray:
    return frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]


def share(pixels: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((pixels == colour).all(axis=-1).mean())


def test_frames_are_uint8_and_of_the_documented_size():
    frame = reset_env("rgb_array").render()
    assert frame.shape == (320, 320, 3)
    assert frame.dtype == np.uint8


@pytest.mark.parametrize(
    ("x", "y", "colour", "at_least"),
    [
        (0, 0, rendering.WALL_COLOUR, 0.7),
        (2, 2, rendering.WALL_COLOUR, 0.7),
        (3, 2, rendering.LAVA_COLOUR, 0.6),
        (8, 8, rendering.GOAL_COLOUR, 0.4),
        (1, 1, rendering.AGENT_COLOUR, 0.12),
        (2, 1, rendering.PAIR_COLOURS[0], 0.1),
        (3, 1, rendering.PAIR_COLOURS[0], 0.4),
        (2, 3, rendering.PAIR_COLOURS[1], 0.1),
        (3, 3, rendering.PAIR_COLOURS[1], 0.4),
        (5, 5, rendering.FLOOR_COLOUR, 0.9),
    ],
)
def test_every_thing_is_drawn_in_its_colour_on_its_tile(x, y, colour, at_least):
    assert share(tile(reset_env("rgb_array").render(), x, y), colour) >= at_least


def test_colours_tell_everything_apart():
    frame = reset_env("rgb_array").render()
    things = (rendering.LAVA_COLOUR, rendering.GOAL_COLOUR, rendering.AGENT_COLOUR, *rendering.PAIR_COLOURS[:2])
    tiles_of = {
        colour: {(x, y) for x in range(10) for y in range(10) if share(tile(frame, x, y), colour) > 0}
        for colour in things
    }
    assert list(tiles_of.values()) == [{(3, 2)}, {(8, 8)}, {(1, 1)}, {(2, 1), (3, 1)}, {(2, 3), (3, 3)}]


def test_a_taken_key_and_its_door_vanish_and_the_agent_moves():
    env = reset_env("rgb_array")
    before = env.render()
    env.step(RIGHT)
    after = env.render()
    assert share(after, rendering.PAIR_COLOURS[0]) == 0
    assert share(after, rendering.PAIR_COLOURS[1]) == share(before, rendering.PAIR_COLOURS[1]) > 0
    assert share(tile(after, 2, 1), rendering.AGENT_COLOUR) > 0.12
    np.testing.assert_array_equal(tile(after, 3, 1), tile(before, 5, 5))
    np.testing.assert_array_equal(tile(after, 1, 1), tile(before, 5, 5))


def test_the_agent_is_drawn_over_what_lies_under_it():
    task = GridWorldTask.from_text("~......." + "\n........" * 7)
    start = tile(reset_env("rgb_array", task).render(), 1, 1)
    assert share(start, rendering.AGENT_COLOUR) > 0.12
    assert share(start, rendering.LAVA_COLOUR) > 0.3


def test_text_is_the_task_inside_walls_with_the_agent():
    env = reset_env("ansi")
    lines = env.render().splitlines()
    assert lines[0] == lines[9] == "#" * 10
    assert lines[1] == "#@aA.....#"
    assert "\n".join(line[1:-1] for line in lines[1:-1]).replace("@", ".") == TASK.to_text()
    env.step(RIGHT)
    assert env.render().splitlines()[1] == "#.@......#"
    assert env.render().splitlines()[3] == "#.bB.....#"


def test_text_of_a_task_without_objects():
    task = GridWorldTask.from_text("\n".join(["........"] * 8))
    assert reset_env("ansi", task).render().splitlines()[1:3] == ["#@.......#", "#........#"]


def test_equal_states_give_equal_frames_and_a_frame_is_the_callers_own():
    first, second = reset_env("rgb_array"), reset_env("rgb_array")
    frame = first.render()
    np.testing.assert_array_equal(frame, second.render())
    frame[:] = 0
    np.testing.assert_array_equal(first.render(), second.render())


@pytest.mark.slow
def test_rendering_leaves_the_trajectory_as_it_is(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    envs = [GridWorldEnv(render_mode=mode) for mode in (None, "rgb_array", "ansi", "human")]
    envs[-1].metadata = {**GridWorldEnv.metadata, "render_fps": 10_000}
    rng = np.random.default_rng(0)
    for episode in range(20):
        for env in envs:
            env.reset(seed=0 if episode == 0 else None)
        for action in rng.integers(4, size=50):
            if not envs[0]._running:
                break
            for env in envs:
                env.step(action)
                if env.render_mode is not None:
                    env.render()
            states = [env.simulation.save_state() for env in envs]
            for state in states[1:]:
                assert all(np.array_equal(state[name], states[0][name]) for name in states[0])
    envs[-1].close()


@pytest.mark.parametrize("render_mode", ["rgb_array", "ansi"])
def test_a_vector_environment_renders_every_row_as_the_single_one(render_mode):
    names = ["targets/A", "targets/C", "graded/150"]
    env = gymnasium.make_vec(
        "GridWorld-v0", num_envs=3, vectorization_mode="vector_entry_point", render_mode=render_mode
    )
    env.reset(seed=0, options={"task": names})
    env.step(np.array([DOWN, RIGHT, DOWN]))
    pictures = env.render()
    assert isinstance(pictures, tuple)
    for picture, name, action in zip(pictures, names, (DOWN, RIGHT, DOWN), strict=True):
        single = reset_env(render_mode, name)
        single.step(action)
        np.testing.assert_array_equal(picture, single.render())
    env.close()
    env.close()


def test_rendering_before_reset_is_an_error():
    single = GridWorldEnv(render_mode="rgb_array")
    with pytest.raises(ResetNeededError, match="render was called before reset"):
        single.render()
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make("GridWorld-v0", render_mode="ansi").render()
    vector = gymnasium.make_vec(
        "GridWorld-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        render_mode="ansi",
        autoreset_mode="Disabled",
    )
    vector.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeededError, match=r"before reset in rows \[1\]"):
        vector.render()


def test_rendering_without_a_mode_warns_and_gives_nothing():
    single = gymnasium.make("GridWorld-v0")
    single.reset()
    with pytest.warns(UserWarning, match=r'gymnasium.make\("GridWorld-v0", render_mode="rgb_array"\)'):
        assert single.render() is None
    vector = gymnasium.make_vec("GridWorld-v0", num_envs=2, vectorization_mode="vector_entry_point")
    vector.reset()
    with pytest.warns(UserWarning, match="without a render mode"):
        assert vector.render() is None


def test_human_mode_opens_a_window_and_shows_every_state(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown = []
    show = Window.show
    monkeypatch.setattr(Window, "show", lambda window, frame: (shown.append((window, frame)), show(window, frame))[1])
    env = gymnasium.make("GridWorld-v0", render_mode="human")
    env.reset(seed=0, options={"task": TASK})
    env.step(RIGHT)
    assert env.render() is None
    window = env.unwrapped._window
    surface = window._window.get_surface()
    assert surface.get_size() == (640, 640)
    pixels = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    twin = reset_env("rgb_array")
    frames = [twin.render()]
    twin.step(RIGHT)
    frames.append(twin.render())
    np.testing.assert_array_equal(pixels[::2, ::2], frames[1])
    assert [used for used, _ in shown] == [window] * 3
    np.testing.assert_array_equal([frame for _, frame in shown], [frames[0], frames[1], frames[1]])
    env.close()
    assert env.unwrapped._window is None
    env.close()


def test_two_windows_do_not_disturb_each_other(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    first, second = reset_env("human"), reset_env("human")
    first.close()
    second.step(DOWN)
    first.reset(seed=1)  # opens again
    first.close()
    second.close()


def test_a_machine_without_a_display_is_an_error_that_names_the_remedy(monkeypatch):
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplayError, match=r"no window can be opened .* render_mode='rgb_array'"):
        reset_env("human")


def test_keys_to_action_move_the_agent_as_a_player_expects():
    moved = {}
    for key, action in GridWorldEnv.keys_to_action.items():
        env = reset_env("ansi", GridWorldTask.from_text("\n".join(["........"] * 8)))
        for start in (RIGHT, DOWN):
            env.step(start)
        env.step(action)
        moved[key] = env.simulation.positions[0].tolist()
    assert moved == {"w": [2, 1], "a": [1, 2], "s": [2, 3], "d": [3, 2]}

import os
import subprocess
import sys
import threading

import gymnasium
import numpy as np
import pytest

from procgen_bench.tasks.ant_maze import AntMazeTask

SIDE = 480
#: Pixels of a unit on the floor: the camera is 37 above it and sees 45 degrees.
UNIT = SIDE / (2 * 37 * np.tan(np.deg2rad(22.5)))


def drawn(start, goal) -> np.ndarray:
    env = gymnasium.make("SparseAntMaze-v0", render_mode="rgb_array")
    env.reset(options={"task": AntMazeTask(np.array(start, np.float64), np.array(goal, np.float64))})
    return env.render()


def pixels_of(frame: np.ndarray, channel: int) -> np.ndarray:
    """Where a frame is clearly of one colour, as x and y in the maze."""
    others = [other for other in range(3) if other != channel]
    rows, columns = np.nonzero(frame[..., channel] > 1.5 * frame[..., others].max(axis=-1))
    return np.stack([(columns + 0.5 - SIDE / 2) / UNIT + 8, 8 - (rows + 0.5 - SIDE / 2) / UNIT], axis=1)


@pytest.mark.parametrize(("start", "goal"), [([0, 0], [0, 16]), ([18, -2], [-2.5, 18.5]), ([16, 18], [18, 3])])
def test_goal_and_ant_are_drawn_where_they_are(start, goal):
    frame = drawn(start, goal)
    assert frame.shape == (SIDE, SIDE, 3) and frame.dtype == np.uint8
    disc, ant = pixels_of(frame, 1), pixels_of(frame, 0)
    np.testing.assert_allclose(disc.mean(axis=0), goal, atol=0.1)
    assert abs(np.linalg.norm(disc - goal, axis=1).max() - 1.0) < 0.15
    # The ant stands 0.55 above the floor, which the camera sees a little farther out.
    np.testing.assert_allclose(ant.mean(axis=0), start, atol=0.3)
    assert np.linalg.norm(ant - start, axis=1).max() < 1.5 and len(ant) > 100


def test_walls_are_dark_and_the_floor_is_bright():
    brightness = drawn([0, 0], [0, 16]).mean(axis=-1)

    def at(x: float, y: float) -> float:
        return brightness[round(SIDE / 2 - (y - 8) * UNIT), round(SIDE / 2 + (x - 8) * UNIT)]

    assert min(at(x, y) for x, y in ([8, 0], [16, 0], [16, 8], [16, 16], [8, 16], [-3, -3], [19, 19])) > 150
    assert max(at(x, y) for x, y in ([0, 8], [8, 8], [11, 8], [-3, 8], [-4.5, 0], [20.5, 8], [8, 20.5])) < 110


def test_frames_repeat_and_drawing_keeps_the_state():
    env = gymnasium.make("SparseAntMaze-v0", render_mode="rgb_array")
    env.reset(seed=0)
    simulation = env.unwrapped.simulation
    before, first = simulation.save_state(), env.render()
    env.step(np.full(8, 20, np.float32))
    second = env.render()
    assert not np.array_equal(first, second)
    simulation.restore_state(before)
    assert np.array_equal(env.render(), first)
    assert all(np.array_equal(before[name], array) for name, array in simulation.save_state().items())


PROGRAM = """
import gymnasium, procgen_bench
env = gymnasium.make("SparseAntMaze-v0", render_mode="rgb_array")
env.reset(seed=0)
try:
    print(env.render().shape)
except procgen_bench.core.errors.ProcgenBenchError as error:
    print(error)
env.step(env.action_space.sample())
"""


def rendered_in_a_process(**variables: str) -> str:
    clean = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL")
    }
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=clean | variables, capture_output=True, text=True, check=True
    )
    if process.stdout.startswith("("):  # where no context can be made, MuJoCo and GLFW grumble on their own
        assert not process.stderr, "something was left open"
    return process.stdout


def test_without_a_screen_egl_draws():
    assert rendered_in_a_process() == "(480, 480, 3)\n"


def test_without_egl_one_line_says_what_to_install_and_the_environment_goes_on():
    found = rendered_in_a_process(MUJOCO_EGL_DEVICE_ID="99")
    assert found.startswith("MuJoCo cannot render here (") and "apt-get install libegl1" in found
    assert found.count("\n") == 1


@pytest.mark.slow
def test_mujoco_gl_is_respected():
    """GLFW needs a screen, so that asking for it where there is none fails, though EGL would draw."""
    assert rendered_in_a_process(MUJOCO_GL="egl") == "(480, 480, 3)\n"
    assert rendered_in_a_process(MUJOCO_GL="glfw").startswith("MuJoCo cannot render here with MUJOCO_GL=glfw (")


def test_threads_draw_alike():
    expected, found = drawn([0, 0], [0, 16]), []
    thread = threading.Thread(target=lambda: found.append(drawn([0, 0], [0, 16])))
    thread.start()
    thread.join()
    assert np.array_equal(found[0], expected)

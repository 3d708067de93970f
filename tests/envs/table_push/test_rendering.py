"""The camera's picture: of any size, showing what there is, and unnoticed by the simulation."""

import numpy as np
import pytest

from procgen_bench.envs.table_push.camera import draw_camera
from procgen_bench.envs.table_push.environment import TablePushEnv
from procgen_bench.envs.table_push.moments import TOOL_WAITS, standing
from procgen_bench.envs.table_push.rendering import CAN_COLOURS, FLAT_COLOUR, HEIGHT, PIT_COLOUR, WIDTH, draw_map
from procgen_bench.tasks.table_push import TablePushTaskSpace
from tests.envs.table_push.tables import open_table, table

SCALE = min(WIDTH / 0.99, HEIGHT / 0.69)


def pixel(frame: np.ndarray, x: float, y: float) -> np.ndarray:
    """The colour at a place on the usual table (metres)."""
    return frame[int(HEIGHT / 2 - (y - 0.3) * SCALE), int(WIDTH / 2 + (x - 0.45) * SCALE)].astype(int)


def close(one, other, tolerance: int = 25) -> bool:
    return np.abs(np.array(one) - other).max() <= tolerance


def test_things_are_drawn_where_they_are():
    task = table("......\n..#...\n....o.\n......", (0.225, 0.225), (0.525, 0.075), goal=(0.075, 0.525), goal_range=0.1)
    frame = draw_map(task, standing(task.objects))
    assert frame.shape == (HEIGHT, WIDTH, 3) and frame.dtype == np.uint8
    assert close(pixel(frame, 0.82, 0.3), FLAT_COLOUR)
    assert close(pixel(frame, 0.675, 0.225), PIT_COLOUR)
    wall = pixel(frame, 0.375, 0.375)
    assert not close(wall, FLAT_COLOUR) and not close(wall, PIT_COLOUR)
    goal = pixel(frame, 0.075, 0.525)
    assert goal[1] > goal[0] + 30 and goal[2] > goal[0] + 30
    for (x, y), colour in zip(task.objects[:2], CAN_COLOURS):
        assert close(pixel(frame, x + 0.0265, y), colour)


def test_only_what_stands_is_drawn():
    task = open_table((0.225, 0.225), (0.525, 0.075), (0.825, 0.525))
    whole, none = draw_map(task, standing(task.objects)), draw_map(task, standing(np.full((3, 2), np.nan)))
    changed = np.argwhere((whole != none).any(axis=-1))
    assert 2_000 < len(changed) < 9_000
    assert close(pixel(none, 0.225, 0.225), FLAT_COLOUR)


@pytest.mark.parametrize("name", ["A", "out-of-space"])
def test_every_table_fits_the_frame(name):
    task = TablePushTaskSpace().suite("targets")[name]
    frame = draw_map(task, standing(task.objects))
    assert frame.shape == (HEIGHT, WIDTH, 3)
    border = np.concatenate([frame[0], frame[-1], frame[:, 0], frame[:, -1]])
    assert not (np.abs(border.astype(int) - FLAT_COLOUR).max(axis=-1) < 12).any()


def test_drawing_again_is_the_same_picture():
    task = open_table((0.3, 0.3))
    first = draw_map(task, standing(task.objects))
    draw_map(task, standing(task.objects + 0.1))
    assert np.array_equal(draw_map(task, standing(task.objects)), first)


def test_the_tool_is_drawn_where_it_is():
    task = open_table((0.3, 0.3))
    without, with_tool = (draw_map(task, standing(task.objects, posture)) for posture in (None, TOOL_WAITS))
    rows, columns = (without != with_tool).any(axis=-1).nonzero()
    x, y = 0.45 + (columns - WIDTH / 2) / SCALE, 0.3 - (rows - HEIGHT / 2) / SCALE
    assert len(rows) > 200 and abs(x - 0.45).max() < 0.08 and abs(y - 0.05).max() < 0.08


TARGETS = TablePushTaskSpace().suite("targets")
SIZE = (240, 168)


def share(picture: np.ndarray, is_colour) -> float:
    red, green, blue = np.moveaxis(picture.astype(int), -1, 0)
    return float(is_colour(red, green, blue).mean())


def blue(red, green, blue):
    return (blue > 90) & (blue > 2 * red) & (blue > 1.6 * green)


def cyan(red, green, blue):
    return (blue > 110) & (green > 100) & (red < 60)


def arm_red(red, green, blue):
    return (red > 60) & (red > 3 * green) & (red > 3 * blue)


@pytest.mark.parametrize("width,height", [(64, 48), (120, 200), (333, 111)])
def test_pictures_are_of_any_size(width, height):
    task = TARGETS["A"]
    picture = draw_camera(task, standing(task.objects), "sawyer", width, height)
    assert picture.shape == (height, width, 3) and picture.dtype == np.uint8


def test_the_target_is_blue_and_moves():
    task = open_table((0.225, 0.225), goal=(0.675, 0.375))
    here = draw_camera(task, standing(task.objects), "tool", *SIZE)
    moved = task.objects + np.array([0.3, 0.0])
    there = draw_camera(task, standing(moved), "tool", *SIZE)
    gone = draw_camera(task, standing(np.full((3, 2), np.nan)), "tool", *SIZE)
    assert share(here, blue) > 0.001 and share(there, blue) > 0.001 and share(gone, blue) == 0.0
    columns = [np.nonzero(blue(*np.moveaxis(picture.astype(int), -1, 0)))[1].mean() for picture in (here, there)]
    assert abs(columns[0] - columns[1]) > SIZE[0] / 10


def test_goal_and_arm_are_seen():
    task = open_table((0.225, 0.225), goal=(0.675, 0.375), goal_range=0.3)
    with_arm, without = (draw_camera(task, standing(task.objects), arm, *SIZE) for arm in ("sawyer", "tool"))
    assert share(with_arm, cyan) > 0.005
    assert share(with_arm, arm_red) > 0.005 and share(without, arm_red) == 0.0


def test_pictures_depend_on_what_they_show_alone():
    one, other = TARGETS["A"], TARGETS["out-of-space"]
    before = draw_camera(one, standing(one.objects), "sawyer", *SIZE)
    draw_camera(other, standing(other.objects), "sawyer", *SIZE)
    assert np.array_equal(draw_camera(one, standing(one.objects), "sawyer", *SIZE), before)


@pytest.mark.parametrize("arm", ["tool", pytest.param("sawyer", marks=pytest.mark.slow)])
def test_the_simulation_does_not_notice(arm):
    def played(is_seen: bool) -> list[np.ndarray]:
        env = TablePushEnv("targets/C", arm=arm, view="camera", render_mode="rgb_array")
        env.reset(seed=0)
        found = []
        for action in (3, 3, 4):
            env.step(action)
            if is_seen:
                assert [frame.shape for frame in env.frames_of_step(1)] == [(336, 480, 3)]
            found.append(env.simulation.positions)
        env.close()
        return found

    for seen, unseen in zip(played(True), played(False)):
        assert np.array_equal(seen, unseen, equal_nan=True)

"""The camera's picture: of any size, showing what there is, and unnoticed by the simulation."""

import numpy as np
import pytest

from procgen_bench.envs.table_push.camera import draw_camera
from procgen_bench.envs.table_push.environment import TablePushEnv
from procgen_bench.envs.table_push.moments import standing
from procgen_bench.tasks.table_push import TablePushTaskSpace
from tests.envs.table_push.tables import open_table

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

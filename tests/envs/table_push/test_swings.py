"""What is seen of pushes is what physics makes of them, and the arm is there while they happen."""

import gc
from itertools import pairwise

import gymnasium
import numpy as np
import pytest

from procgen_bench.apps.game import Game
from procgen_bench.apps.key_by_key import play_in_window
from procgen_bench.engine import rendering
from procgen_bench.engine.recording import RecordWholeSteps
from procgen_bench.envs.table_push import TablePushEnv
from procgen_bench.envs.table_push.arms import make_arm
from procgen_bench.envs.table_push.kinematics import place_tip
from procgen_bench.envs.table_push.paths import HELD_DISTANCE, PUSH_HEIGHT
from procgen_bench.envs.table_push.sawyer import BASE_YAW, base_place, chain
from procgen_bench.envs.table_push.simulation import TablePushSimulation
from procgen_bench.envs.table_push.swings import Onlooker, evenly
from procgen_bench.tasks.table_push import TablePushTaskSpace
from procgen_bench.tasks.table_push.table import CAN_HEIGHT, DIRECTIONS
from tests.engine.recorded import record_episode
from tests.envs.table_push.tables import open_table, table

TARGETS = TablePushTaskSpace().suite("targets")


def seen(task, *actions: int, arm: str = "tool"):
    """What is seen of each push, and the simulation after all."""
    simulation, onlooker, swings = TablePushSimulation(make_arm(arm)), Onlooker(arm), []
    simulation.load(task)
    for action in actions:
        simulation.push(action)
        swings.append(onlooker.moments(task, simulation.pushes, simulation.positions))
    simulation.close()
    onlooker.close()
    return swings, simulation


@pytest.mark.parametrize("arm", ["tool", "sawyer"])
def test_cans_go_where_they_go_in_the_simulation_to_the_last_bit(arm):
    swings, simulation = seen(TARGETS["C"], 3, 3, 4, arm=arm)
    (before, after), now = (swing[-2:] for swing in swings[1:]), swings[-1][-1]
    for last, end in (before, after):
        assert np.array_equal(last.cans[:, :2], end.cans[:, :2], equal_nan=True)
    assert np.array_equal(now.cans[:, :2], simulation.positions, equal_nan=True)
    assert np.array_equal(swings[1][0].cans, swings[0][-1].cans, equal_nan=True)


@pytest.mark.parametrize("arm", ["tool", "sawyer"])
@pytest.mark.parametrize("action", range(4))
def test_a_can_moves_with_the_tool_behind_it(arm, action):
    """And at no other time; the tool is as low as it pushes then, and opens along the push."""
    ((*moments, _),), _ = seen(open_table((0.45, 0.3)), action, arm=arm)
    places = np.array([moment.cans[0, :2] for moment in moments])
    moving = np.hypot(*np.diff(places, axis=0).T) > 5e-4
    assert moving.sum() > 30
    ahead = DIRECTIONS[action]
    for cans, posture in (moments[place] for place in np.flatnonzero(moving) + 1):
        assert cans[0, :2] - posture.place[:2] == pytest.approx(HELD_DISTANCE * ahead, abs=3e-3)
        assert posture.place[2] == pytest.approx(PUSH_HEIGHT, abs=1e-6)
        assert (np.cos(posture.yaw), np.sin(posture.yaw)) == pytest.approx(ahead)


@pytest.mark.parametrize("arm", ["tool", "sawyer"])
def test_the_arm_goes_on_from_where_it_is(arm):
    """From its rest to the first push, and from each push to the next, high above cans, without a jump."""
    swings, _ = seen(TARGETS["A"], 3, 0, 0, arm=arm)
    places = np.array([moment.posture.place for swing in swings for moment in swing])
    assert np.hypot(*np.diff(places, axis=0).T[:2]).max() < 0.03 and abs(np.diff(places[:, 2])).max() < 0.03
    assert swings[-1][-1].posture.place[2] > CAN_HEIGHT
    if arm == "sawyer":
        joints = np.array([moment.posture.joints for swing in swings for moment in swing])
        assert abs(np.diff(joints, axis=0)).max() < 0.3


def test_the_robot_s_joints_hold_the_tool_where_it_is():
    task = TARGETS["A"]
    (swing,), _ = seen(task, 3, arm="sawyer")
    for moment in [swing[0], *evenly(swing[40:], 5)]:
        place, _ = place_tip(chain().offsets, chain().rotations, moment.posture.joints, np.empty((6, 7)))
        cos, sin = np.cos(BASE_YAW), np.sin(BASE_YAW)
        turned = [cos * place[0] - sin * place[1], sin * place[0] + cos * place[1], place[2]]
        assert base_place(task.extent) + turned == pytest.approx(moment.posture.place, abs=1e-3)


def test_pushes_of_nothing_leave_the_arm_where_it_is():
    task = open_table((0.3, 0.3), (0.375, 0.3))
    (waits, pushed, still), _ = seen(task, 8, 6, 9)
    assert len(waits) == len(still) == 1 and len(pushed) > 100
    assert waits[0].posture is None
    assert np.array_equal(still[0].posture.place, pushed[-1].posture.place)


def test_a_push_that_strikes_stops_there_and_a_fall_is_seen():
    wall = table("......\n..#...\n......\n......", (0.375, 0.225))
    (struck,), _ = seen(wall, 2)
    assert struck[-1].posture.place[2] == pytest.approx(PUSH_HEIGHT, abs=1e-6)
    (fell,), _ = seen(open_table((0.825, 0.3)), 0)
    assert np.isnan(fell[-1].cans).all() and fell[-2].cans[0, 2] < -0.05


def test_films_show_pushes():
    frames = record_episode("TablePush-v0", "targets/A", 0, [3, 8, 0])
    assert len(frames) == 1 + 12 + 1 + 12
    assert sum((one != other).any() for one, other in pairwise(frames)) >= 20


# MoviePy leaves the pipe to its encoder to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gymnasium_s_recorder_takes_a_picture_a_step_and_ours_the_whole_push(tmp_path):
    counts = {}
    for recorder in (gymnasium.wrappers.RecordVideo, RecordWholeSteps):
        env = gymnasium.make("TablePush-v0", render_mode="rgb_array", tasks="targets/A")
        env = recorder(env, str(tmp_path / recorder.__name__))
        env.reset(seed=0)
        env.step(3)
        counts[recorder] = len(env.recorded_frames)
        assert np.array_equal(env.recorded_frames[-1], env.unwrapped.render())
        env.close()
        gc.collect()
        assert (tmp_path / recorder.__name__ / "rl-video-episode-0.mp4").stat().st_size > 1_000
    assert list(counts.values()) == [2, 13]


def test_the_last_frame_of_a_step_is_the_picture_after_it_also_of_a_restored_state():
    env, other = (TablePushEnv("targets/A", render_mode="rgb_array") for _ in range(2))
    env.reset(seed=0)
    assert len(list(env.frames_of_step())) == 1
    for action in (3, 0):
        env.step(action)
        assert np.array_equal(list(env.frames_of_step(3))[-1], env.render())
    assert len(list(env.frames_of_step(3))) == 3
    other.reset(options={"state": env.save_state()})
    assert np.array_equal(other.render(), env.render())
    env.close()
    other.close()


def test_a_person_sees_the_push_once(monkeypatch):
    shown, keys = [], iter(["s", "x", "q"])

    class Screen:
        def __init__(self, title):
            self.close = lambda: None

        def show(self, frame, caption):
            shown.append(caption[1])

        def wait(self, seconds):
            assert seconds == 1 / 8

        def wait_for_key(self):
            return next(keys)

    monkeypatch.setattr(rendering, "Window", Screen)
    env = gymnasium.make("TablePush-v0", render_mode="rgb_array", tasks="targets/A")
    play_in_window(Game(env, 0, None))
    env.close()
    assert [caption.split()[1] for caption in shown] == ["0"] + 13 * ["1"]

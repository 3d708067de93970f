"""The arm's kinematics: as PyBullet has them, with true derivatives, and inverted along paths.

What is seen of pushes is what physics makes of them, and the arm is there while they happen.
"""

import gc
from itertools import pairwise

import gymnasium
import numpy as np
import pybullet
import pytest

from procgen_bench.apps.game import Game
from procgen_bench.apps.key_by_key import play_in_window
from procgen_bench.engine import rendering
from procgen_bench.engine.recording import RecordWholeSteps
from procgen_bench.envs.table_push import TablePushEnv
from procgen_bench.envs.table_push.arms import make_arm
from procgen_bench.envs.table_push.kinematics import follow, place_tip, read_chain
from procgen_bench.envs.table_push.paths import HELD_DISTANCE, PUSH_HEIGHT
from procgen_bench.envs.table_push.sawyer import (
    BASE_YAW,
    DESCRIPTION,
    TOOL_LINK,
    base_place,
    chain,
    joint_numbers,
    load_robot,
)
from procgen_bench.envs.table_push.simulation import TablePushSimulation
from procgen_bench.envs.table_push.swings import Onlooker, evenly
from procgen_bench.tasks.table_push import TablePushTaskSpace
from procgen_bench.tasks.table_push.table import CAN_HEIGHT, DIRECTIONS
from tests.engine.recorded import record_episode
from tests.envs.table_push.tables import open_table, table


def tip(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    jacobian = np.empty((6, 7))
    return *place_tip(chain().offsets, chain().rotations, joints, jacobian), jacobian


def tip_of_paths(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the tip is, and its frame, laid out as paths have it: for another layout ``follow`` is compiled again."""
    place, frame, _ = tip(joints)
    return place, np.asfortranarray(frame)


@pytest.fixture(scope="module")
def postures() -> np.ndarray:
    limits = chain().limits
    return np.random.default_rng(0).uniform(limits[:, 0], limits[:, 1], (20, 7))


def test_the_tip_is_where_pybullet_has_it(postures):
    client = pybullet.connect(pybullet.DIRECT)
    body = load_robot(client, np.zeros(3))
    joints, tool = joint_numbers(body, client)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for posture in postures:
        for joint, position in zip(joints, posture):
            pybullet.resetJointState(body, joint, position, physicsClientId=client)
        *_, place, orientation = pybullet.getLinkState(
            body, tool, computeForwardKinematics=True, physicsClientId=client
        )
        ours, frame, _ = tip(posture)
        assert np.allclose(turn @ ours, place, atol=1e-6)
        assert np.allclose(turn @ frame, np.reshape(pybullet.getMatrixFromQuaternion(orientation), (3, 3)), atol=1e-6)
    pybullet.disconnect(client)


def test_derivatives_are_those_of_small_turns(postures):
    for posture in postures:
        place, frame, jacobian = tip(posture)
        for joint in range(7):
            nearby, turned, _ = tip(posture + 1e-6 * (np.arange(7) == joint))
            assert np.allclose((nearby - place) / 1e-6, jacobian[:3, joint], atol=1e-5)
            rates = np.cross(jacobian[3:, joint], frame.T).T
            assert np.allclose((turned - frame) / 1e-6, rates, atol=1e-5)


def test_a_path_is_followed_within_the_joints_limits(postures):
    """Where the arm has been, inverse kinematics gets it back to."""
    arm, rest = chain(), np.array([0.0, -0.9, -1.2, 1.9, 0.0, 0.6, 0.0])
    place, frame = tip_of_paths(rest)
    places = place + np.linspace(0, 1, 50)[:, None] * (-0.1, 0.15, -0.1)
    joints = np.empty((50, 7))
    assert follow(arm.offsets, arm.rotations, arm.limits, rest, rest, places, frame, joints) == 50
    for wanted, posture in zip(places, joints):
        there, turned, _ = tip(posture)
        assert np.allclose(there, wanted, atol=2e-6)
        assert np.allclose(turned, frame, atol=4e-6)
    assert ((joints >= arm.limits[:, 0]) & (joints <= arm.limits[:, 1])).all()
    assert abs(np.diff(joints, axis=0)).max() < 0.05


def test_what_is_out_of_reach_is_distinguished():
    arm, rest = chain(), np.array([0.0, -0.9, -1.2, 1.9, 0.0, 0.6, 0.0])
    place, frame = tip_of_paths(rest)
    places = place + np.linspace(0, 2, 41)[:, None] * (1.0, 0.0, 0.0)
    joints = np.empty((41, 7))
    reached = follow(arm.offsets, arm.rotations, arm.limits, rest, rest, places, frame, joints)
    assert 0 < reached < 25  # The arm is 1.3 m long.
    assert np.allclose(tip(joints[reached - 1])[0], places[reached - 1], atol=1e-4)


def test_a_chain_of_other_joints_is_refused(tmp_path):
    text = DESCRIPTION.read_text()
    other = tmp_path / "arm.urdf"
    other.write_text(text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>', 1))
    with pytest.raises(ValueError, match=r"right_j0.*expected a revolute one about the axis '0 0 1'"):
        read_chain(other, TOOL_LINK)


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

"""The arm's kinematics: as PyBullet has them, with true derivatives, and inverted along paths."""

import numpy as np
import pybullet
import pytest

from procgen_bench.envs.table_push.kinematics import follow, place_tip, read_chain
from procgen_bench.envs.table_push.sawyer import DESCRIPTION, TOOL_LINK, chain, joint_numbers, load_robot


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

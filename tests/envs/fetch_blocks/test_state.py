"""The numbers of a state, in the documented order, against MuJoCo's own account of the same data."""

import mujoco
import numpy as np
import pytest
from gymnasium_robotics.utils.rotations import mat2euler
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from procgen_bench.envs.fetch_blocks.observing import write_angles
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start

SIMULATIONS = {num_blocks: FetchBlocksSimulation(num_blocks) for num_blocks in (2, 4, 6)}
ACTION_SECONDS = 0.04


def velocities(simulation: FetchBlocksSimulation, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of a point of a body and of its turning, along the world's axes, per action."""
    model, data = simulation.model, simulation.data
    moving, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, moving, turning, point, body)
    return moving @ data.qvel * ACTION_SECONDS, turning @ data.qvel * ACTION_SECONDS


def documented_state(simulation: FetchBlocksSimulation) -> np.ndarray:
    data = simulation.data
    gripper = data.site("robot0:grip").xpos
    gripper_velocity, _ = velocities(simulation, simulation.model.body("robot0:gripper_link").id, gripper)
    numbers = []
    for block in range(simulation.num_blocks):
        body = data.body(f"object{block}")
        velocity, turning = velocities(simulation, body.id, body.xpos)
        numbers += [body.xpos, mat2euler(body.xmat.reshape(3, 3)), body.xpos - gripper]
        numbers += [velocity - gripper_velocity, turning]
    fingers = [data.joint(f"robot0:{side}_gripper_finger_joint") for side in "rl"]
    numbers += [gripper, *(finger.qpos for finger in fingers)]
    numbers += [gripper_velocity, *(finger.qvel * ACTION_SECONDS for finger in fingers)]
    return np.concatenate(numbers)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(num_blocks=st.sampled_from(sorted(SIMULATIONS)), seed=st.integers(0, 2**31), steps=st.integers(0, 12))
def test_the_state_is_what_mujoco_has(num_blocks, seed, steps):
    simulation, rng = SIMULATIONS[num_blocks], np.random.default_rng(seed)
    simulation.begin(draw_start(rng, num_blocks))
    for _ in range(steps):
        simulation.step(rng.uniform(-1, 1, 4))
    assert simulation.state.shape == (15 * num_blocks + 10,)
    np.testing.assert_allclose(simulation.state, documented_state(simulation), rtol=0, atol=1e-13)
    # Any turn and any speed: what physics would hardly come to.
    simulation.data.qpos[15:] += rng.normal(0, 1, 7 * num_blocks)
    simulation.data.qvel[:] = rng.normal(0, 2, simulation.model.nv)
    simulation.forward()
    np.testing.assert_allclose(simulation.state, documented_state(simulation), rtol=0, atol=1e-12)
    assert np.array_equal(simulation.positions, simulation.state[:-10].reshape(-1, 15)[:, :3])
    assert np.array_equal(simulation.gripper, simulation.state[-10:-7])


@pytest.mark.parametrize("quarter", [1.0, -1.0])
def test_angles_at_a_quarter_turn_are_the_librarys(quarter):
    for turn in np.linspace(-3, 3, 13):
        sine, cosine = np.sin(turn), np.cos(turn)
        matrix = np.array([[0, 0, quarter], [sine, cosine, 0], [-quarter * cosine, sine, 0]])
        angles = np.empty(3)
        write_angles(angles, matrix.ravel())
        np.testing.assert_allclose(angles, mat2euler(matrix), rtol=0, atol=1e-15)

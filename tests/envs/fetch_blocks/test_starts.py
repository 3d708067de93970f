"""Starts as the simulation has them: everything where the task says, at rest, and what is held is held.

The numbers of a state, in the documented order, against MuJoCo's own account of the same data.
"""

import mujoco
import numpy as np
import pytest
from gymnasium_robotics.utils.rotations import mat2euler
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from procgen_bench.envs.fetch_blocks.observing import write_angles
from procgen_bench.envs.fetch_blocks.posture_fit import PostureFit
from procgen_bench.envs.fetch_blocks.postures import REGIONS, posture
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.table import GRIPPER_HIGH, least_gripper_height
from procgen_bench.tasks.programs.states import LINEAR_VELOCITY, split
from procgen_bench.tasks.programs.zones import REACH_HIGH, REACH_LOW

SIMULATIONS = {num_blocks: FetchBlocksSimulation(num_blocks) for num_blocks in (2, 4, 6)}
#: What the hand keeps when no way is asked for.
CLOSED = np.array([0, 0, 0, -1], np.float32)


def touching(simulation: FetchBlocksSimulation) -> set[frozenset[str]]:
    """Names of the parents of geometries that touch, the fingers and blocks by their own names."""
    model, data = simulation.model, simulation.data
    names = [model.body(model.geom_bodyid[number]).name for number in range(model.ngeom)]
    return {frozenset((names[contact.geom1], names[contact.geom2])) for contact in data.contact[: data.ncon]}


def hand_touches(simulation: FetchBlocksSimulation) -> set[str]:
    """The blocks that the robot touches."""
    pairs = [sorted(pair) for pair in touching(simulation) if len(pair) == 2]
    return {pair[0] for pair in pairs if pair[0].startswith("object") and pair[1].startswith("robot0:")}


def block_velocities(simulation: FetchBlocksSimulation) -> np.ndarray:
    return split(simulation.state)[0][:, LINEAR_VELOCITY] + simulation.state[-5:-2]


@pytest.mark.parametrize("num_blocks", sorted(SIMULATIONS))
def test_everything_is_where_the_start_has_it_and_stays(num_blocks):
    simulation, rng = SIMULATIONS[num_blocks], np.random.default_rng(num_blocks)
    space = FetchBlocksTaskSpace(num_blocks)
    for number in range(30):
        start = draw_start(rng, num_blocks) if number % 3 else space.decode(space.sample(rng)).start
        simulation.begin(start)
        np.testing.assert_allclose(
            simulation.gripper, start.gripper, atol=6e-3 if posture(start.gripper) is None else 2e-3
        )
        np.testing.assert_allclose(simulation.positions, start.positions, atol=6e-3)
        lying = np.arange(num_blocks) != (-1 if start.held is None else start.held)
        np.testing.assert_allclose(simulation.positions[lying], start.positions[lying], atol=3e-3)
        assert hand_touches(simulation) == (set() if start.held is None else {f"object{start.held}"})
        if start.held is not None:
            np.testing.assert_allclose(simulation.positions[start.held], simulation.gripper, atol=1e-3)
        speeds = [*block_velocities(simulation), simulation.state[-5:-2]]
        assert np.abs(speeds).max() < 1e-3, "something moves by more than a millimetre in an action"
        before = simulation.positions.copy()
        for _ in range(10):
            simulation.step(CLOSED)
        np.testing.assert_allclose(simulation.positions[lying], before[lying], atol=3e-3)
        np.testing.assert_allclose(simulation.positions[~lying], before[~lying], atol=8e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_held_block_is_carried_as_long_as_the_fingers_close(seed):
    simulation, rng = SIMULATIONS[4], np.random.default_rng(seed)
    start = next(start for start in iter(lambda: draw_start(rng, 4), None) if start.held is not None)
    simulation.begin(start)
    for way in ([0, 0, 0.5, -1], [-0.3, 0.3, 0, -1], [0.3, -0.3, 0, -1]):
        for _ in range(5):
            simulation.step(np.array(way, np.float32))
    held = simulation.positions[start.held]
    assert held[2] > start.gripper[2] + 0.05
    np.testing.assert_allclose(held, simulation.gripper, atol=0.015)
    for _ in range(20):
        simulation.step(np.array([0, 0, 0, 1], np.float32))
    assert simulation.positions[start.held][2] < held[2] + 1e-9 and held[2] < start.gripper[2] + 0.05


def test_most_starts_have_a_known_posture():
    rng = np.random.default_rng(0)
    known = [posture(draw_start(rng, 4).gripper) is not None for _ in range(300)]
    assert np.mean(known) > 0.97
    assert posture(np.array([1.15, 0.75, 0.7])) is None, "the arm pushes the head aside there"


def test_postures_are_fitted_to_the_physics():
    """One of the places through which the polynomials pass, made again."""
    region = REGIONS[0]
    place = np.array(region.low)
    numbers = PostureFit().at_rest(place)
    found = posture(place)
    np.testing.assert_allclose([*found.joints, *found.speeds, *found.led_to - place], numbers, atol=1e-4)


def test_a_whole_stack_of_six_fits_under_the_hand():
    simulation, place = SIMULATIONS[6], np.array([1.3, 0.75])
    places, levels = np.tile(place, (6, 1)), np.arange(6, dtype=np.int8)
    height = least_gripper_height(np.array([*place, 0.0]), places, levels)
    assert height <= GRIPPER_HIGH
    start = FetchBlocksStart(places, levels, np.array([*place, height]))
    start.validate()
    simulation.begin(start)
    for _ in range(50):
        simulation.step(np.zeros(4, np.float32))
    assert not hand_touches(simulation)
    np.testing.assert_allclose(simulation.positions, start.positions, atol=4e-3)


@pytest.mark.parametrize("height", [0.45, 0.55])
def test_the_arm_reaches_all_that_it_is_said_to_reach(height):
    simulation = SIMULATIONS[2]
    away = np.array([[1.3, 0.6], [1.3, 0.9]])
    for x in np.linspace(REACH_LOW[0], REACH_HIGH[0], 4):
        for y in np.linspace(REACH_LOW[1], REACH_HIGH[1], 5):
            simulation.begin(FetchBlocksStart(away, np.zeros(2, np.int8), np.array([x, y, height])))
            np.testing.assert_allclose(simulation.gripper, [x, y, height], atol=1e-3)
            down = simulation.data.body("robot0:gripper_link").xmat.reshape(3, 3)[:, 0]
            assert np.degrees(np.arccos(-down[2])) < 3


def test_placing_wakes_what_sleeps():
    simulation = SIMULATIONS[2]
    for _ in range(20):
        simulation.step(CLOSED)
    assert simulation.data.ntree_awake == 1
    simulation.place(np.array([[1.2, 0.6, 0.6], [1.3, 0.9, 0.425]]))
    simulation.forward()
    for _ in range(10):
        simulation.step(CLOSED)
    assert simulation.positions[0, 2] == pytest.approx(0.425, abs=2e-3), "it has fallen onto the table"


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

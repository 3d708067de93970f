"""Joint control: joints go to their targets and no further, the arm stands still, episodes repeat bit for bit.

Masses and frictions of blocks: in tasks, in the task space, in the physics, and in saved states.
"""

import pickle
from dataclasses import replace

import gymnasium
import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidActionError, InvalidOptionError, InvalidTaskError
from procgen_bench.envs.fetch_blocks.joints import JOINTS, REACH_OF_JOINTS, JointSimulation
from procgen_bench.envs.fetch_blocks.model import CORE_DEPTH, change_blocks
from procgen_bench.envs.fetch_blocks.settling import settled_state, standing_state
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT
from tests.envs.fetch_blocks.test_saving import start_of
from tests.tasks.fetch_blocks.test_tasks import TASK

HEAVY = replace(TASK, mass=4.0, friction=0.2)
IDS = ("FetchBlocks-v0", "FetchProgram-v0")
SIMULATION = JointSimulation(4)
NOTHING = np.zeros(8)
#: The gripper where nothing is in the arm's way.
FREE = FetchBlocksStart(
    np.array([[1.15, 0.5], [1.15, 1.0], [1.45, 0.5], [1.45, 1.0]]), np.zeros(4, np.int8), np.array([1.3, 0.75, 0.65])
)


def make(environment_id="FetchBlocks-v0", **keywords):
    return gymnasium.make(environment_id, control="joint", **keywords).unwrapped


def turning(joint: int, way: float = 1.0, fingers: float = 0.0) -> np.ndarray:
    action = np.zeros(8)
    action[joint], action[-1] = way, fingers
    return action


def random_actions(seed: int, steps: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (steps // 5, 8)).repeat(5, axis=0).astype(np.float32)


def angles_after(*actions: np.ndarray) -> np.ndarray:
    for action in actions:
        SIMULATION.step(action)
    return SIMULATION.joints[:7].copy()


@pytest.mark.parametrize("joint", range(7), ids=JOINTS)
@pytest.mark.parametrize("way", [1.0, -0.5])
def test_a_joint_turns_by_what_was_commanded(joint, way):
    """Over half of it at once, all but 3 % two actions later; the others stay where they are."""
    SIMULATION.begin(FREE)
    before, commanded = SIMULATION.joints[:7].copy(), way * REACH_OF_JOINTS
    at_once = angles_after(turning(joint, way)) - before
    assert 0.5 < at_once[joint] / commanded < 0.75
    later = angles_after(NOTHING, NOTHING) - before
    assert later[joint] == pytest.approx(commanded, rel=0.03)
    assert np.abs(np.delete(later, joint)).max() < 1e-3


@pytest.mark.parametrize("joint, way", [(1, -1), (3, 1), (5, 1)])
def test_a_joint_stops_at_its_limit_and_comes_back_at_once(joint, way):
    SIMULATION.begin(FREE)
    limit = SIMULATION.model.joint(f"robot0:{JOINTS[joint]}_joint").range[int(way > 0)]
    there = angles_after(*[turning(joint, way)] * 60)[joint]
    assert there == pytest.approx(limit, abs=2e-3)
    back = angles_after(*[turning(joint, -way)] * 2, NOTHING, NOTHING)[joint]
    assert back == pytest.approx(there - way * 2 * REACH_OF_JOINTS, abs=2e-3)


@pytest.mark.parametrize("seed", [0, 3])
def test_limits_hold_whatever_is_commanded(seed):
    SIMULATION.begin(start_of(seed, False))
    ranges = np.array([SIMULATION.model.joint(f"robot0:{name}_joint").range for name in JOINTS])
    limited = ranges[:, 0] < ranges[:, 1]
    for action in random_actions(seed, 100).round().repeat(2, axis=0):
        angles = angles_after(action)[limited]
        assert (angles > ranges[limited, 0] - 0.02).all() and (angles < ranges[limited, 1] + 0.02).all()


@pytest.mark.parametrize("held, radians, metres", [(False, 1e-6, 1e-5), (True, 6e-4, 5e-4)])
def test_the_arm_stands_still_under_zero_actions(held, radians, metres):
    """For a whole episode; what it holds it gives way to, once, by half a millimetre."""
    SIMULATION.begin(start_of(3, held))
    angles, gripper = SIMULATION.joints[:7].copy(), SIMULATION.gripper.copy()
    after = angles_after(*[turning(0, 0.0, -1.0 if held else 0.0)] * 50)
    assert np.abs(after - angles).max() < radians
    assert np.abs(SIMULATION.gripper - gripper).max() < metres


@pytest.mark.parametrize("seed", range(3))
def test_episodes_begin_as_under_the_default_control(seed):
    start, led = draw_start(np.random.default_rng(seed), 4), FetchBlocksSimulation(4)
    SIMULATION.begin(start)
    led.begin(start)
    assert np.array_equal(SIMULATION.state, led.state)
    assert np.array_equal(SIMULATION.data.qpos, led.data.qpos)


def test_the_fist_presses_no_block_deeper_than_its_core():
    simulation = JointSimulation(2)
    places = np.array([[1.3, 0.75], [1.4, 0.95]])
    simulation.begin(FetchBlocksStart(places, np.zeros(2, np.int8), np.array([1.3, 0.75, 0.5])))
    lowest = np.inf
    for action in (*[turning(0, 0.0, -1.0)] * 4, *[turning(JOINTS.index("shoulder_lift"), 1.0, -1.0)] * 20):
        simulation.step(action)
        lowest = min(lowest, simulation.positions[0, 2])
    assert 1e-3 < RESTING_HEIGHT - lowest < CORE_DEPTH


@pytest.mark.parametrize("environment_id", IDS)
def test_rows_equal_the_single_environment(environment_id):
    env = make(environment_id)
    rows = gymnasium.make_vec(
        environment_id, 3, vectorization_mode="vector_entry_point", num_threads=2, control="joint"
    )
    assert rows.single_action_space == env.action_space and rows.single_action_space.shape == (8,)
    observation, _ = env.reset(seed=5)
    in_rows, _ = rows.reset(seed=[4, 5, 6])
    for action in random_actions(0, 20):
        assert env.observation_space.contains(observation) and observation["joints"].shape == (14,)
        assert all(np.array_equal(in_rows[key][1], observation[key]) for key in observation)
        observation, in_rows = env.step(action)[0], rows.step(np.stack([action * 0.5, action, -action]))[0]
    rows.close()


@pytest.mark.parametrize("environment_id, options", [(IDS[0], {"task": HEAVY}), (IDS[0], {"task": TASK}), (IDS[1], {})])
def test_a_saved_state_goes_on_bit_for_bit(environment_id, options):
    env, other, actions = make(environment_id), make(environment_id), random_actions(1, 30)
    env.reset(seed=0, options=options)
    other.reset(seed=1)
    for action in actions[:15]:
        env.step(action)
    observation, _ = other.reset(options={"state": pickle.loads(pickle.dumps(env.save_state()))})
    assert np.array_equal(observation["joints"], env.simulation.joints)
    for action in actions[15:]:
        here, there = env.step(action)[0], other.step(action)[0]
        assert all(np.array_equal(here[key], there[key]) for key in here)
    copied = pickle.loads(pickle.dumps(env.simulation))
    assert np.array_equal(copied.step(actions[0]), env.simulation.step(actions[0]))


def test_the_physics_vector_holds_the_targets():
    env, other = make(), make()
    env.reset(seed=0)
    other.reset(seed=0)
    for action in random_actions(2, 10):
        env.step(action)
    vector = env.physics_vector()
    assert vector.shape == env.physics_scales(env.task).shape
    assert not np.array_equal(other.physics_vector()[-7:], vector[-7:])
    other.restore_physics(vector)
    here, there = env.step(NOTHING)[0], other.step(NOTHING)[0]
    assert np.array_equal(here["joints"], there["joints"])


@pytest.mark.parametrize("simulation", [SIMULATION, FetchBlocksSimulation(4)], ids=["joints", "led"])
def test_letting_go_is_simulated_aside(simulation):
    """The held block falls from the gripper, which opens, and stays or goes 8 cm up or more."""
    simulation.begin(start_of(3, True))
    before, height, hand = simulation.save(), simulation.positions[:, 2].max(), simulation.gripper[2]
    states = settled_state(simulation), standing_state(simulation)
    after = simulation.save()
    assert all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)
    for state in states:
        assert block_positions(state)[:, 2].max() < height - 0.01
        assert state[-7:-5] == pytest.approx([0.05, 0.05], abs=0.002), "the fingers are open"
    rises = [state[-8] - hand for state in states]
    assert abs(rises[0]) < 0.01 and rises[1] > 0.08


def test_a_picture_is_one_more_part_of_the_observation():
    env = make(camera="gripper", image_size=24)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation) and {"image", "joints"} < set(observation)


def test_what_is_not_of_the_control_is_refused():
    with pytest.raises(InvalidOptionError, match=r"control is 'torque', expected one of \['end_effector', 'joint'\]"):
        gymnasium.make("FetchBlocks-v0", control="torque")
    env, led = make(), gymnasium.make("FetchBlocks-v0").unwrapped
    env.reset(seed=0)
    led.reset(seed=0)
    with pytest.raises(InvalidOptionError, match="joint control"):
        led.reset(options={"state": env.save_state()})
    with pytest.raises(InvalidActionError):
        env.step(np.zeros(4, np.float32))


ACTION = np.array([0.2, -0.1, -0.3, -1.0], np.float32)


@pytest.mark.parametrize("task", [TASK, replace(TASK, mass=0.5), replace(TASK, friction=1.5), HEAVY])
def test_text_says_what_is_unusual(task):
    again = FetchBlocksTask.from_text(task.to_text())
    assert (again.mass, again.friction) == (task.mass, task.friction)
    assert ("mass" in task.to_text(), "friction" in task.to_text()) == (task.mass != 2.0, task.friction != 1.0)


@pytest.mark.parametrize("name, value", [("mass", 0.4), ("mass", 5.0), ("friction", 0.0), ("friction", np.nan)])
def test_what_no_block_is_made_of_is_refused(name, value):
    with pytest.raises(InvalidTaskError, match=f"{name} is .*expected a float from"):
        replace(TASK, **{name: value}).validate()


def test_parameters_hold_them_where_they_are_asked_for():
    plain, varied = FetchBlocksTaskSpace(4), FetchBlocksTaskSpace(4, materials=True)
    assert set(varied.space) - set(plain.space) == {"mass", "friction"}
    with pytest.raises(InvalidTaskError, match=r"mass is 4.0, expected 2.0.*materials=True"):
        plain.encode(HEAVY)
    rng = np.random.default_rng(0)
    for task in (varied.sample_task(rng), varied.decode(varied.sample(rng)), varied.mutate(HEAVY, rng)):
        again = varied.decode(varied.encode(task))
        assert (again.mass, again.friction) == (task.mass, task.friction) != (2.0, 1.0)


def test_the_model_is_the_one_that_mujoco_makes_of_such_blocks():
    simulation = FetchBlocksSimulation(2)
    simulation.begin(_two_blocks(), 3.0, 0.5)
    ours, scratch = simulation.model, mujoco.MjData(simulation.model)
    theirs = FetchBlocksSimulation(2).model.__copy__()
    change_blocks(theirs, 3.0, 0.5)
    mujoco.mj_setConst(theirs, scratch)
    for name in ("body_mass", "body_subtreemass", "body_inertia", "body_invweight0", "dof_invweight0", "dof_M0"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, err_msg=name)
    assert ours.body("object0").mass == pytest.approx(3.0)


def _two_blocks():
    return FetchBlocksTaskSpace(2).sample_task(np.random.default_rng(0)).start


def slid(friction: float) -> float:
    """How far a block slides that is pushed off at 0.5 m/s."""
    simulation = FetchBlocksSimulation(2)
    simulation.begin(_two_blocks(), friction=friction)
    simulation.place(np.array([[1.3, 0.6, 0.425], [1.3, 0.9, 0.425]]))
    simulation.data.qvel[-12] = 0.5
    simulation.forward()
    for _ in range(15):
        simulation.step(np.zeros(4))
    return simulation.positions[0, 0] - 1.3


def test_blocks_slide_as_far_as_their_friction_lets_them():
    """v^2 / (2 mu g), on a table that is none the rougher."""
    for friction in (0.2, 0.5):
        assert slid(friction) == pytest.approx(0.25 / (2 * friction * 9.81), rel=0.15)


def test_saved_states_carry_them_and_rows_equal_the_single_environment():
    env, other = (gymnasium.make("FetchBlocks-v0").unwrapped for _ in range(2))
    rows = gymnasium.make_vec("FetchBlocks-v0", 2, vectorization_mode="vector_entry_point", num_threads=2)
    env.reset(seed=0, options={"task": HEAVY})
    rows.reset(seed=[0, 1], options={"task": [HEAVY, TASK]})
    for _ in range(4):
        observation = env.step(ACTION)[0]
        in_rows = rows.step(np.stack([ACTION, ACTION]))[0]
    assert all(np.array_equal(in_rows[key][0], observation[key]) for key in observation)
    assert not np.array_equal(in_rows["observation"][1], observation["observation"])
    other.reset(seed=1)
    other.reset(options={"state": env.save_state()})
    for _ in range(3):
        here, there = env.step(ACTION)[0], other.step(ACTION)[0]
        assert np.array_equal(here["observation"], there["observation"])
    assert (other.task.mass, other.task.friction) == (4.0, 0.2)
    env.reset(options={"task": TASK})
    assert env.simulation.model is rows.simulation._rows[1].simulation.model, "usual blocks share one model"
    rows.close()

"""The physics is FetchPickAndPlace-v4's: its model, its steps, its observations; and what sleep changes."""

from itertools import pairwise

import gymnasium
import gymnasium_robotics
import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import DivergedError
from procgen_bench.envs.fetch_blocks.model import CORE_BIT, CORE_DEPTH, fetch_model
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT

STEPS = 50
#: Options of the physics, and what of bodies, geometries, joints and actuators it depends on.
OPTIONS = (
    *("timestep", "gravity", "integrator", "solver", "cone", "jacobian", "iterations", "tolerance", "ls_iterations"),
    *("impratio", "density", "viscosity", "o_margin", "o_solref", "o_solimp", "disableactuator", "noslip_iterations"),
)
OF_BODIES = ("mass", "inertia", "ipos", "iquat", "gravcomp")
OF_GEOMS = (
    *("type", "size", "friction", "solref", "solimp", "solmix", "condim"),
    *("margin", "gap", "contype", "conaffinity"),
)
OF_DOFS = ("damping", "armature", "frictionloss", "solref", "solimp")
OF_ACTUATORS = ("gainprm", "biasprm", "biastype", "ctrlrange", "ctrllimited", "gear", "trnid")


@pytest.fixture(scope="module")
def pick_and_place():
    gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make("FetchPickAndPlace-v4", disable_env_checker=True).unwrapped
    yield env
    env.close()


def random_actions(seed: int, steps: int = STEPS) -> np.ndarray:
    """Random ways, each held for a while, with the fingers closed half of the time."""
    rng = np.random.default_rng(seed)
    actions = rng.uniform(-1, 1, (steps // 5, 4)).repeat(5, axis=0)
    return np.clip(actions, -1, 1).astype(np.float32)


@pytest.mark.parametrize("num_blocks", [1, 4, 6])
def test_the_model_is_the_librarys(pick_and_place, num_blocks):
    theirs, ours = pick_and_place.model, fetch_model(num_blocks)
    for name in OPTIONS:
        assert np.array_equal(getattr(ours.opt, name), getattr(theirs.opt, name)), name
    assert ours.opt.disableflags == theirs.opt.disableflags | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    assert ours.opt.enableflags == theirs.opt.enableflags | mujoco.mjtEnableBit.mjENBL_SLEEP
    assert (ours.nbody, ours.ngeom, ours.nv) == (
        theirs.nbody + num_blocks - 1,
        theirs.ngeom + 2 * num_blocks - 1,  # with a core each
        theirs.nv + 6 * (num_blocks - 1),
    )
    shells = [geom for geom in range(ours.ngeom) if not ours.geom(geom).name.endswith("core")]
    for kind, names, count in (
        ("body", OF_BODIES, theirs.nbody),
        ("geom", OF_GEOMS, theirs.ngeom),
        ("dof", OF_DOFS, theirs.nv),
        ("actuator", OF_ACTUATORS, theirs.nu),
    ):
        for name in names:
            own, other = (getattr(model, f"{kind}_{name}") for model in (ours, theirs))
            if kind == "geom":
                own = own[shells] & ~CORE_BIT if name == "conaffinity" else own[shells]
            assert np.array_equal(own[:count], other), f"{kind}_{name}"
            each = 6 if kind == "dof" else 1
            for block in range(1, num_blocks if kind != "actuator" else 1):
                first, this = count - each, count + each * (block - 1)
                assert np.array_equal(own[this : this + each], own[first:count]), f"{kind}_{name} of block {block}"
    assert np.array_equal(ours.exclude_signature, theirs.exclude_signature)


def as_theirs(state: np.ndarray) -> np.ndarray:
    """The state of one block in the order of FetchPickAndPlace's observations."""
    block, gripper = state[:15], state[15:]
    position, rotation, relative, velocity, turning = np.split(block, 5)
    place, fingers, speed, finger_speeds = np.split(gripper, [3, 5, 8])
    return np.concatenate([place, position, relative, fingers, rotation, velocity, turning, speed, finger_speeds])


def put(simulation: FetchBlocksSimulation, theirs) -> None:
    """The state of the library's environment into ours, which has the same bodies; both take it in afresh."""
    names = ("time", "qpos", "qvel", "qacc_warmstart", "ctrl", "mocap_pos", "mocap_quat")
    mujoco.mj_resetData(simulation.model, simulation.data)
    for name in names[1:]:
        getattr(simulation.data, name)[:] = getattr(theirs.data, name)
    simulation.data.time = theirs.data.time
    mujoco.mj_forward(theirs.model, theirs.data)
    simulation.forward()


@pytest.mark.parametrize("seed", range(6))
def test_one_block_steps_as_fetch_pick_and_place_does(pick_and_place, seed):
    simulation = FetchBlocksSimulation(1, sleep=False)
    pick_and_place.reset(seed=seed)
    block = pick_and_place.data.joint("object0:joint").qpos
    if seed % 2:  # under the gripper, which comes down on it, and turned
        turn = seed / 10
        block[:2], block[3:] = (1.342, 0.749), (np.cos(turn), 0.0, 0.0, np.sin(turn))
    put(simulation, pick_and_place)
    before, way = block[:3].copy(), 0.0
    for step, action in enumerate(random_actions(seed)):
        if seed % 2:
            action[3] = 1.0 if step < 10 else -1.0
            action[:3] = (0.0, 0.0, -0.3 if step < 10 else 0.0) if step < 15 else action[:3] / 2
        observation = pick_and_place.step(action)[0]["observation"]
        state = simulation.step(action)
        way = max(way, np.abs(block[:3] - before).max())
        assert np.array_equal(simulation.data.qpos, pick_and_place.data.qpos)
        assert np.array_equal(simulation.data.qvel, pick_and_place.data.qvel)
        np.testing.assert_allclose(as_theirs(state), observation, rtol=0, atol=1e-12)
    assert way > 0.05 or not seed % 2, "the block was not carried away"


def test_home_is_where_fetch_pick_and_place_begins(pick_and_place):
    pick_and_place.reset(seed=0)
    simulation = FetchBlocksSimulation(1, sleep=False)
    assert np.array_equal(simulation.data.qpos[:15], pick_and_place.initial_qpos[:15])
    np.testing.assert_allclose(simulation.gripper, pick_and_place.initial_gripper_xpos, atol=1e-4)


def episode(simulation: FetchBlocksSimulation, start, actions) -> np.ndarray:
    simulation.begin(start)
    return np.array([simulation.step(action).copy() for action in actions])


@pytest.mark.parametrize("seed", range(8))
def test_sleep_changes_no_more_than_the_tolerance(seed):
    """Until a block is touched, places agree to 0.01 mm with what is simulated throughout. Blocks do sleep."""
    start = draw_start(np.random.default_rng(seed), 4)
    asleep, awake = FetchBlocksSimulation(4), FetchBlocksSimulation(4, sleep=False)
    ours, theirs = (episode(simulation, start, random_actions(seed)) for simulation in (asleep, awake))
    assert asleep.data.ntree_awake < 5 == awake.data.ntree_awake
    moved = np.abs(block_positions(theirs) - block_positions(theirs)[:1]).max(axis=(1, 2))
    untouched = np.flatnonzero(moved > 2e-3)
    until = untouched[0] if len(untouched) else STEPS
    np.testing.assert_allclose(block_positions(ours)[:until], block_positions(theirs)[:until], rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours[:until, 60:], theirs[:until, 60:], rtol=0, atol=1e-5)


def test_a_sleeping_stack_wakes_when_it_is_touched():
    simulation = FetchBlocksSimulation(2)
    simulation.place(np.array([[1.34, 0.65, 0.425], [1.34, 0.65, 0.475]]))
    simulation.forward()
    for _ in range(10):
        simulation.step(np.array([0, 0, 0, -1], np.float32))
    assert simulation.data.ntree_awake == 1
    before = simulation.positions.copy()
    lowered = [simulation.step(np.array([0, 0, -0.5, -1], np.float32))[-8] for _ in range(3)]
    assert all(later < earlier for earlier, later in pairwise(lowered))
    for _ in range(10):
        simulation.step(np.array([0, -0.5, 0, -1], np.float32))
    assert np.abs(simulation.positions - before).max(axis=1).min() > 0.01


@pytest.mark.parametrize("name", ["a block in the hand", "a fist on a block", "a finger on a block", "a fist on two"])
def test_the_arm_presses_no_block_deeper_than_its_core(name):
    """FetchPickAndPlace's arm presses its block 46 mm into the table with the fist, 32 mm with a finger."""
    aside, levels, height, fingers = {
        "a block in the hand": (0.0, [-1, 0], 0.5, -1.0),
        "a fist on a block": (0.0, [0, 0], 0.5, -1.0),
        "a finger on a block": (0.05, [0, 0], 0.5, 1.0),
        "a fist on two": (0.0, [0, 1], 0.56, -1.0),
    }[name]
    places = np.array([[1.3, 0.75 + aside], [1.3, 0.75 + aside] if levels[1] else [1.4, 0.95]])
    simulation = FetchBlocksSimulation(2)
    simulation.begin(FetchBlocksStart(places, np.array(levels, np.int8), np.array([1.3, 0.75, height])))
    pressed, lowest = np.array([0.0, 0.0, -1.0, fingers]), np.inf
    for action in (*[pressed * [0, 0, 0, 1]] * 4, *[pressed] * 20):
        simulation.step(action)
        lowest = min(lowest, simulation.positions[0, 2])
    assert 1e-3 < RESTING_HEIGHT - lowest < CORE_DEPTH + 5e-4


def test_diverged_physics_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warning into a file there
    simulation = FetchBlocksSimulation(2)
    simulation.data.qvel[-3] = np.nan
    with pytest.raises(DivergedError, match=r"diverged under the action \[0.0, 0.0, 0.0, 0.0\]"):
        simulation.step(np.zeros(4))

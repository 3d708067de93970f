"""Saving and restoring a native simulation's whole state, as resumed training and planners need it.

Numbers that one MuJoCo world takes over from another: what moves is moved, what sleeps sleeps on.

Rows that do not fit into memory are refused before they start.
"""

import copy
import pickle
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine import memory
from procgen_bench.engine.physics_state import physics_vector, take_over, vector_scales
from tests.engine.faulty_grid_world import FaultyGridWorldEnv
from tests.engine.process_families import make_faulty
from tests.engine.process_tree import children
from tests.envs.conformance.trajectory import assert_equal


def steps(env, count, seed):
    return [env.step(actions) for actions in np.random.default_rng(seed).integers(4, size=(count, env.num_envs))]


def test_restored_state_continues_exactly():
    env = gymnasium.make_vec("GridWorld-v0", num_envs=16)
    env.reset(seed=3)
    steps(env, 37, seed=0)
    simulation = env.unwrapped.simulation
    state, ended = simulation.save_state(), env.unwrapped._ended.copy()
    expected = steps(env, 120, seed=1)
    assert not all(np.array_equal(array, state[name]) for name, array in simulation.save_state().items())
    simulation.restore_state(state)
    env.unwrapped._ended[:], env.unwrapped._any_ended = ended, bool(ended.any())
    assert_equal(steps(env, 120, seed=1), expected, "the restored simulation goes on differently")


def test_saved_state_is_a_copy():
    env = gymnasium.make_vec("GridWorld-v0", num_envs=4)
    env.reset(seed=3)
    state = env.unwrapped.simulation.save_state()
    before = {name: array.copy() for name, array in state.items()}
    steps(env, 60, seed=2)
    assert_equal(state, before, "stepping changed a saved state")


def test_state_of_one_environment_continues_in_another():
    one, other = (gymnasium.make_vec("GridWorld-v0", num_envs=5) for _ in range(2))
    one.reset(seed=3)
    other.reset(seed=99)
    other.unwrapped.simulation.restore_state(one.unwrapped.simulation.save_state())
    assert_equal(steps(other, 120, seed=4), steps(one, 120, seed=4), "the state did not carry everything")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda simulation: pickle.loads(pickle.dumps(simulation))])
@pytest.mark.parametrize(
    "environment_id",
    [
        "GridWorld-v0",
        "BitGrid-v0",
        "SparsePointMaze-v0",
        "SparseAntMaze-v0",
        "VoxelBuild-v0",
        "CompositionalMiniGrid-v0",
    ],
)
def test_a_copy_looks_at_its_own_arrays(environment_id, copied):
    simulation = gymnasium.make(environment_id).unwrapped.simulation
    twin = copied(simulation)
    named = (twin.rewards, twin.terminations, twin.truncations, twin.successes, twin.elapsed)
    assert len(twin.outcomes) == len(named) and all(one is other for one, other in zip(twin.outcomes, named))
    for name, view in twin.observations.items():
        assert any(np.shares_memory(view, array) for array in twin.state_arrays().values()), name
        assert not any(np.shares_memory(view, array) for array in simulation.state_arrays().values()), name


#: A box that comes to rest, one that swings on a ball joint, one on a rail and a motor with a state of its own.
WORLD = """
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="resting" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="2 0 2"><joint type="ball"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/></body>
    <body pos="-2 0 1"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><general joint="rail" dyntype="integrator" gainprm="1" biasprm="0"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(WORLD)


@pytest.fixture
def under_way(model):
    """under_way() -> data in which the box sleeps and the rest moves, always the same."""

    def data() -> mujoco.MjData:
        data = mujoco.MjData(model)
        data.ctrl[:] = 0.3
        mujoco.mj_step(model, data, 300)
        assert data.tree_awake.tolist() == [0, 1, 1]
        return data

    return data


def test_the_vector_is_all_that_a_step_sets_out_from(model, under_way):
    data = under_way()
    vector = physics_vector(data)
    assert (model.nq, model.nv, model.na) == (12, 10, 1)
    assert len(vector) == len(vector_scales(model.nq, model.nv)) + model.na
    assert vector[: model.nq].tobytes() == data.qpos.tobytes()
    assert vector[-model.nv :].tobytes() == data.qacc_warmstart.tobytes()


def test_what_is_awake_goes_on_as_it_did_there(model, under_way):
    there, here = under_way(), under_way()
    mujoco.mj_step(model, there, 5)
    vector = physics_vector(there)
    mujoco.mj_step(model, here, 3)
    take_over(model, here, vector)
    assert physics_vector(here).tobytes() == vector.tobytes()
    for data in (there, here):
        mujoco.mj_step(model, data, 20)
    assert physics_vector(here).tobytes() == physics_vector(there).tobytes()


def test_what_sleeps_stays_as_it_lies(model, under_way):
    """A single other bit in its position would wake it, and it would not come to lie where it lay."""
    data = under_way()
    vector = physics_vector(data)
    lies = vector[:7].copy()
    vector[:3] += 1e-12
    take_over(model, data, vector)
    np.testing.assert_array_equal(data.qpos[:7], lies)
    mujoco.mj_step(model, data, 20)
    assert data.tree_awake.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(data.qpos[:7], lies)


def test_rows_that_take_more_than_there_is_are_refused(monkeypatch):
    monkeypatch.setattr(FaultyGridWorldEnv, "row_bytes", 10**9)
    monkeypatch.setattr(memory, "available_memory", lambda: 2_500_000_000)
    before = children()
    message = r"num_envs is 3, whose rows take 3\.0 GB of memory, expected at most 2: 2\.5 GB are free"
    with pytest.raises(InvalidOptionError, match=message):
        make_faulty(num_envs=3, num_workers=1)
    assert children() == before
    make_faulty(num_envs=2, num_workers=1).close()


def table_push(num_envs: int) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec("TablePush-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", num_workers=1)


def memory_of_worker(num_envs: int) -> int:
    """Bytes that the only worker of so many tables has for itself, once each has been pushed at."""
    before = children()
    env = table_push(num_envs)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(40):  # a row has a simulator from its first push on
        env.step(env.action_space.sample())
    (worker,) = children() - before
    lines = Path(f"/proc/{worker}/smaps_rollup").read_text().splitlines()
    env.close()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))


def test_a_table_takes_the_memory_that_is_reckoned_with():
    pytest.importorskip("pybullet")
    taken = (memory_of_worker(18) - memory_of_worker(2)) / 16
    assert taken / 1.5 < environment_type("TablePush-v0").row_bytes < taken * 1.5


def test_more_tables_than_there_is_memory_for_are_refused_before_a_worker_starts(monkeypatch):
    pytest.importorskip("pybullet")
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * 2**30)
    before = children()
    with pytest.raises(InvalidOptionError, match=r"num_envs is 1024, whose rows take .* GB of memory"):
        table_push(1_024)
    assert children() == before


def test_the_least_of_the_machine_and_its_group_is_there(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  5000 kB\n")
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    assert memory.available_memory() == 5000 * 1024
    for name, said in (("max", "4000000"), ("current", "3500000"), ("stat", "anon 3\ninactive_file 1000000\n")):
        (tmp_path / f"memory.{name}").write_text(said)
    assert memory.available_memory() == 1_500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_memory() == 5000 * 1024
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "nothing")
    assert memory.available_memory() is None

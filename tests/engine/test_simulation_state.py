"""Saving and restoring a native simulation's whole state, as resumed training and planners need it."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

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

"""stable-baselines3's hindsight replay over a native goal environment, as both are."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN, HerReplayBuffer
from stable_baselines3.common.vec_env import DummyVecEnv

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from tests.hindsight import filled_buffer

ROWS, STEPS, EPISODE = 4, 150, 50


def random_play(env) -> HerReplayBuffer:
    """Three whole episodes in every row."""
    return filled_buffer(env, 1_000, STEPS, lambda rng: rng.integers(9, size=env.num_envs))


def make_task_vec_env() -> TaskVecEnv:
    env = TaskVecEnv("BitGrid-v0", ROWS)
    env.seed(0)
    return env


def make_dummy_vec_env() -> DummyVecEnv:
    env = DummyVecEnv([lambda: gymnasium.make("BitGrid-v0")] * ROWS)
    env.seed(0)
    return env


@pytest.mark.parametrize("make", [make_task_vec_env, make_dummy_vec_env])
def test_relabelled_rewards_are_those_of_the_relabelled_goals(make):
    buffer = random_play(make())
    np.random.seed(0)  # the buffer draws from it
    samples = buffer.sample(4_000)
    achieved = samples.next_observations["achieved_goal"].numpy()
    desired = samples.next_observations["desired_goal"].numpy()
    reached = (achieved == desired).all(axis=(1, 2))
    assert np.array_equal(samples.rewards.numpy()[:, 0], reached.astype(np.float32))
    assert 0.1 < reached.mean() < 0.9
    assert np.array_equal(desired, samples.observations["desired_goal"].numpy())


def test_the_task_vec_env_and_the_dummy_one_store_the_same():
    """Same seeds, same actions: the buffers hold the same transitions, so the adapter loses nothing."""
    ours, theirs = (random_play(make()) for make in (make_task_vec_env, make_dummy_vec_env))
    assert ours.pos == theirs.pos == STEPS
    for name in ("observation", "achieved_goal", "desired_goal"):
        assert np.array_equal(ours.observations[name][:STEPS], theirs.observations[name][:STEPS])
        assert np.array_equal(ours.next_observations[name][:STEPS], theirs.next_observations[name][:STEPS])
    for name in ("rewards", "dones", "timeouts", "ep_length"):
        assert np.array_equal(getattr(ours, name)[:STEPS], getattr(theirs, name)[:STEPS]), name


def test_dqn_with_hindsight_trains():
    model = DQN(
        "MultiInputPolicy",
        make_task_vec_env(),
        replay_buffer_class=HerReplayBuffer,
        learning_starts=EPISODE * ROWS,
        buffer_size=1_000,
        policy_kwargs={"net_arch": [16]},
        seed=0,
    )
    model.learn(EPISODE * ROWS * 2)
    assert model._n_updates > 0
    assert model.num_timesteps == EPISODE * ROWS * 2

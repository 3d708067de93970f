"""stable-baselines3's hindsight replay over VoxelBuild, as both are: pictures, and goals of block types."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN, HerReplayBuffer
from stable_baselines3.common.vec_env import DummyVecEnv, VecTransposeImage

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from tests.hindsight import filled_buffer

ROWS, EPISODE = 2, 100


def make_task_vec_env():
    env = TaskVecEnv("VoxelBuild-v0", ROWS)
    env.seed(0)
    return VecTransposeImage(env)


def make_dummy_vec_env():
    env = DummyVecEnv([lambda: gymnasium.make("VoxelBuild-v0")] * ROWS)
    env.seed(0)
    return VecTransposeImage(env)


@pytest.mark.parametrize("make", [make_task_vec_env, make_dummy_vec_env])
def test_relabelled_rewards_are_those_of_the_relabelled_goals(make):
    actions = [1, 2, 3, 4, 9, 13, 13, 14, 15, 16, 20]
    buffer = filled_buffer(make(), 400, EPISODE, lambda rng: rng.choice(actions, size=ROWS))
    assert buffer.dones[EPISODE - 1].all()
    np.random.seed(0)  # the buffer draws from it
    samples = buffer.sample(600)
    achieved = samples.next_observations["achieved_goal"].numpy()
    desired = samples.next_observations["desired_goal"].numpy()
    reached = (achieved == desired).all(axis=(1, 2, 3))
    assert np.array_equal(samples.rewards.numpy()[:, 0], reached.astype(np.float32))
    assert 0.05 < reached.mean() < 0.95
    assert samples.observations["observation"].shape == (600, 3, 80, 120)
    assert len({goal.tobytes() for goal in desired}) > 4


def test_dqn_with_hindsight_trains():
    model = DQN(
        "MultiInputPolicy",
        make_task_vec_env(),
        replay_buffer_class=HerReplayBuffer,
        learning_starts=EPISODE * ROWS,
        train_freq=20,
        batch_size=8,
        buffer_size=400,
        policy_kwargs={"net_arch": [16]},
        seed=0,
    )
    model.learn(EPISODE * ROWS + 80)
    assert model._n_updates > 0

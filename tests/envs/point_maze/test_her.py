"""stable-baselines3's hindsight replay over SparsePointMaze."""

import numpy as np
import pytest
from stable_baselines3 import DDPG, HerReplayBuffer

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv


@pytest.mark.slow
def test_hindsight_replay_trains_on_it():
    env = TaskVecEnv("SparsePointMaze-v0", 2)
    model = DDPG(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        replay_buffer_kwargs={"n_sampled_goal": 4},
        learning_starts=120,
        train_freq=10,
        seed=0,
        device="cpu",
    )
    model.learn(240)
    batch = model.replay_buffer.sample(256)
    achieved, desired = (batch.next_observations[name].numpy() for name in ("achieved_goal", "desired_goal"))
    rewards = env.env_method("compute_reward", achieved, desired, None, indices=[0])[0]
    assert np.array_equal(batch.rewards.numpy()[:, 0], rewards.astype(np.float32))
    assert 0 < rewards.mean() < 1

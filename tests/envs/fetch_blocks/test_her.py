"""stable-baselines3's hindsight replay over FetchBlocks, as both are: batches of goals of all blocks."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DDPG, HerReplayBuffer
from stable_baselines3.common.vec_env import DummyVecEnv

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from tests.hindsight import filled_buffer

ROWS, EPISODE = 2, 50


def make_task_vec_env():
    env = TaskVecEnv("FetchBlocks-v0", ROWS)
    env.seed(0)
    return env


def make_dummy_vec_env():
    env = DummyVecEnv([lambda: gymnasium.make("FetchBlocks-v0")] * ROWS)
    env.seed(0)
    return env


@pytest.mark.parametrize("make", [make_task_vec_env, make_dummy_vec_env])
def test_relabelled_rewards_are_those_of_the_relabelled_goals(make):
    env = make()
    buffer = filled_buffer(env, 400, 3 * EPISODE, lambda rng: rng.uniform(-1, 1, (ROWS, 4)).astype(np.float32))
    np.random.seed(0)  # the buffer draws from it
    samples = buffer.sample(600)
    achieved = samples.next_observations["achieved_goal"].double().numpy().reshape(-1, 4, 3)
    desired = samples.next_observations["desired_goal"].double().numpy().reshape(-1, 4, 3)
    reached = (np.linalg.norm(achieved - desired, axis=-1) <= 0.05).all(axis=-1)
    assert np.array_equal(samples.rewards.numpy()[:, 0], reached.astype(np.float32))
    assert 0.05 < reached.mean() < 0.98
    assert samples.observations["observation"].shape == (600, 70)
    assert len({goal.tobytes() for goal in desired}) > 4
    env.close()


def test_ddpg_with_hindsight_trains():
    env = make_task_vec_env()
    model = DDPG(
        "MultiInputPolicy",
        env,
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
    env.close()

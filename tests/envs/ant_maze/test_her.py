"""stable-baselines3's hindsight replay over SparseAntMaze."""

import numpy as np
from stable_baselines3 import DDPG, HerReplayBuffer

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.tasks.ant_maze import GOAL_RADIUS


def test_rewards_of_relabelled_goals_are_those_of_the_replay_buffer():
    env = TaskVecEnv("SparseAntMaze-v0", 2)
    env.seed(0)
    model = DDPG(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        learning_starts=1_000,
        train_freq=(10, "step"),
        gradient_steps=2,
        buffer_size=2_000,
        policy_kwargs={"net_arch": [16]},
        seed=0,
    )
    model.learn(1_040)
    assert model._n_updates > 0
    np.random.seed(0)  # the buffer draws from it
    samples = model.replay_buffer.sample(500)
    achieved, desired = (samples.next_observations[name].numpy() for name in ("achieved_goal", "desired_goal"))
    reached = np.linalg.norm(achieved - desired, axis=1) <= GOAL_RADIUS
    assert np.array_equal(samples.rewards.numpy()[:, 0], reached) and 0.1 < reached.mean() < 1

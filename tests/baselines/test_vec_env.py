"""The adapter to stable-baselines3."""

import gymnasium
import numpy as np

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv


def test_rows_replay_in_single_environments():
    """Every row's stream of observations, rewards and ends is that of single episodes on its tasks."""
    num_envs, steps = 5, 300
    env = TaskVecEnv("GridWorld-v0", num_envs, tasks="graded")
    actions = np.random.default_rng(0).integers(0, 4, (steps, num_envs))
    singles = [gymnasium.make("GridWorld-v0") for _ in range(num_envs)]
    observations = env.reset()
    for row, single in enumerate(singles):
        first, _ = single.reset(options={"task": env.rows.tasks[row]})
        assert all(np.array_equal(first[key], observations[key][row]) for key in first)
    for step in range(steps):
        before = {key: array.copy() for key, array in observations.items()}
        following, rewards, ended, infos = env.step(actions[step])
        assert all(np.array_equal(before[key], observations[key]) for key in before), "a returned batch was overwritten"
        observations = following
        for row, single in enumerate(singles):
            expected, reward, terminated, truncated, info = single.step(actions[step, row])
            assert rewards[row] == np.float32(reward)
            assert ended[row] == (terminated or truncated)
            if ended[row]:
                final = infos[row]["terminal_observation"]
                assert all(np.array_equal(expected[key], final[key]) for key in expected)
                assert infos[row]["TimeLimit.truncated"] == (truncated and not terminated)
                assert infos[row]["is_success"] == info["success"]
                expected, _ = single.reset(options={"task": env.rows.tasks[row]})
            assert all(np.array_equal(expected[key], observations[key][row]) for key in expected)

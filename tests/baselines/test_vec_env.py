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


def test_rows_of_vectors():
    """With ``flat=True`` batches and last observations are vectors."""
    env = TaskVecEnv("GridWorld-v0", 3, flat=True, max_episode_steps=4)
    plain = TaskVecEnv("GridWorld-v0", 3, max_episode_steps=4)
    env.seed(5), plain.seed(5)
    space, ends = plain.observation_space, 0
    vectors, observations = env.reset(), plain.reset()
    for _ in range(9):
        for row in range(3):
            expected = gymnasium.spaces.flatten(space, {key: array[row] for key, array in observations.items()})
            assert np.array_equal(vectors[row], expected)
        before = vectors.copy()
        following, _, ended, infos = env.step(np.zeros(3, np.int64))
        observations, _, _, plain_infos = plain.step(np.zeros(3, np.int64))
        assert np.array_equal(vectors, before), "a returned batch was overwritten"
        vectors = following
        for row in np.flatnonzero(ended):
            expected = gymnasium.spaces.flatten(space, plain_infos[row]["terminal_observation"])
            assert np.array_equal(infos[row]["terminal_observation"], expected)
            ends += 1
    assert ends

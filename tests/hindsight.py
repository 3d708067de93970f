"""Hindsight buffers filled by random play, for tests of any goal environment with stable-baselines3."""

from collections.abc import Callable

import numpy as np
from stable_baselines3 import HerReplayBuffer
from stable_baselines3.common.vec_env import VecEnv


def filled_buffer(
    env: VecEnv, size: int, steps: int, draw_actions: Callable[[np.random.Generator], np.ndarray]
) -> HerReplayBuffer:
    """A buffer of this size with what ``steps`` steps of ``env`` give under drawn actions, one for every row."""
    buffer = HerReplayBuffer(
        size, env.observation_space, env.action_space, env=env, n_envs=env.num_envs, n_sampled_goal=4
    )
    rng = np.random.default_rng(0)
    observations = env.reset()
    for _ in range(steps):
        actions = draw_actions(rng)
        following, rewards, ended, infos = env.step(actions)
        stored = {name: array.copy() for name, array in following.items()}
        for row in np.flatnonzero(ended):
            for name in stored:
                stored[name][row] = infos[row]["terminal_observation"][name]
        buffer.add(observations, stored, actions, rewards, ended, infos)
        observations = following
    return buffer

"""What an algorithm adds to the training loop of its own: its policy's weights, a word after evaluations, its state."""

from collections import deque
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm

from procgen_bench.baselines.sb3.vec_env import TaskVecEnv


class Resumable(BaseAlgorithm):
    """Mixed into a stable-baselines3 algorithm; but for the weights, the defaults add nothing."""

    env: TaskVecEnv
    # There from the start of learning on.
    _last_obs: dict[str, np.ndarray]
    _last_episode_starts: np.ndarray
    ep_info_buffer: deque
    ep_success_buffer: deque

    def policy_weights(self) -> dict[str, np.ndarray]:
        """Copies of the weights, by the names that the method's policy knows them by."""
        raise NotImplementedError

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Told the newest row of the curve, before the policy is written; may change the network and the row."""

    def own_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain values that the algorithm keeps beside stable-baselines3's."""
        return {}, {}

    def restore_own_state(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`own_state` returned."""

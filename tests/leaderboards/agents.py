"""Agents that are no file, whose actions submissions record."""

import numpy as np

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.policy import OraclePolicy


class Chance:
    """Acts by chance in GridWorld, always the same."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(1)

    def act(self, observations, episode_starts) -> np.ndarray:
        """An action for each row."""
        return self._rng.integers(0, 4, len(episode_starts))


class Recorded(OraclePolicy):
    """A scripted player of GridWorld, given as an object: its actions are recorded."""

    def __init__(self, name: str) -> None:
        self._player = load_policy(name, "GridWorld-v0")

    def seed(self, seed: int) -> None:
        """See :class:`Policy`."""
        self._player.seed(seed)

    def begin(self, row: int, task, seed: int) -> None:
        """See :class:`OraclePolicy`."""
        if isinstance(self._player, OraclePolicy):
            self._player.begin(row, task, seed)

    def act(self, observations, episode_starts) -> np.ndarray:
        """See :class:`Policy`."""
        return self._player.act(observations, episode_starts)

"""Policy: what plays. Batched, and kept in a folder of JSON and safetensors; nothing in it is ever executed."""

from abc import ABC, abstractmethod

import numpy as np

from procgen_bench.task import Task

Observations = dict[str, np.ndarray] | np.ndarray


class Policy(ABC):
    """Maps a batch of observations to a batch of actions."""

    @abstractmethod
    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Choose an action for every row.

        Args:
            observations: Batched observations as the vector environment returns them, N rows.
            episode_starts: bool (N,), true where the row's observation is the first of an episode; recurrent
                policies clear the row's state there.

        Returns:
            Actions (N, ...), of the environment's batched action space.
        """

    def seed(self, seed: int) -> None:  # noqa: B027 - deterministic policies have nothing to do here
        """Seed the policy's own randomness, if it has any; called once before an evaluation."""


class OraclePolicy(Policy):
    """A policy that is told the task: solvers and scripted experts. Its scores are shown as such."""

    @abstractmethod
    def begin(self, row: int, task: Task) -> None:
        """An episode of ``task`` begins in ``row``; called before the first ``act`` of the episode."""

"""Learner: who is trained, whatever library it comes from."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.named_arrays import Arrays

RolloutT = TypeVar("RolloutT")


class Learner(ABC, Generic[RolloutT]):
    """Acts in rows, learns from what came of it, and can be kept and exported.

    What it learns from is what its collector gives: a :class:`.Rollout`, or whole :class:`.Episodes`.

    Attributes:
        device: Where its networks are; the observations that it is given are there, too.
        memory_width: Numbers that it remembers of a row from step to step; 0: it has no memory.
    """

    device: torch.device
    memory_width: int = 0

    @abstractmethod
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Choose an action for every row, exploring.

        Args:
            observations: By name (N, ...).
            memory: float32 (N, M), zeros where an episode begins.

        Returns:
            Actions (N, ...); by name float32 (N,), what the update wants to know of them; the next memory (N, M).
        """

    @abstractmethod
    def update(self, rollout: RolloutT) -> dict[str, float]:
        """Learn from a rollout; returns measures of it."""

    def advantages(self, rollout: RolloutT) -> np.ndarray | None:
        """Generalised advantages float32 (T, N) of a rollout that :meth:`update` has not seen; ``None``: no critic."""
        return None

    def values(self, observations: Tensors) -> np.ndarray:
        """The critic's values float32 (N,) of first observations by name (N, ...); NaN where it has none."""
        return np.full(len(next(iter(observations.values()))), np.nan, np.float32)

    @abstractmethod
    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` goes on exactly."""

    @abstractmethod
    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""

    @abstractmethod
    def policy_weights(self) -> Arrays:
        """The weights that its policy plays with, by name."""

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Called after every evaluation with its row of the curve, which may be changed and added to."""

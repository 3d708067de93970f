"""What the learner makes of episodes: each step's reward, which episodes it learns from, what the critic sees."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.episodic.episodes import Episodes


@dataclass(frozen=True)
class Labels:
    """Labels of N episodes of at most T steps.

    Attributes:
        rewards: float64 (T, N).
        included: bool (N,), the episodes that are learned from.
        anti_goals: (N, ...), what the critic sees beside the goal; ``None``: nothing.
        measures: What to report of these episodes, means by name.
    """

    rewards: np.ndarray
    included: np.ndarray
    anti_goals: np.ndarray | None
    measures: dict[str, float]


class Labeller(ABC):
    """A rule that labels episodes; it may learn from them too."""

    @abstractmethod
    def label(self, episodes: Episodes) -> Labels:
        """The labels of the episodes."""

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` continues."""
        return {}, {}

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:  # noqa: B027 - most learn nothing
        """Continue from what :meth:`state` returned."""

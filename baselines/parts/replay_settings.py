"""Settings of learners from a replay."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, RolloutConfiguration, option

if TYPE_CHECKING:
    import torch

    from procgen_bench.baselines.parts.replay import Transitions


#: Share of the learning rate that is left when it has declined.
LEAST_RATE = 0.1


@dataclass(frozen=True)
class ReplayConfiguration(RolloutConfiguration):
    """Settings of learners that fill a replay at random first, and then learn by the environment step."""

    learning_rate: float = option(3e-4, "Learning rate of Adam.", AMOUNT)
    batch_size: int = option(256, "Transitions per gradient step.", COUNT)
    buffer_size: int = option(
        100_000, "Capacity of the replay buffer, in transitions; fewer where they take more than 1 GiB.", COUNT
    )
    learning_starts: int = option(10_000, "Random steps that fill the replay before learning starts.", AMOUNT)
    updates_per_step: float = option(1.0, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.99, "Discount factor.", SHARE)
    width: int = option(128, "Units in each dense layer.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)
    network: str = option("", "What reads observations before these layers: view, or your own network, module:Class.")
    stochastic: bool = option(False, "Whether the trained policy explores instead of taking the best action.")

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        return {"width": self.width, "layers": self.layers, "network": self.network}


@dataclass(frozen=True)
class TargetUpdates:
    """When target networks follow the learned ones, and how far.

    Attributes:
        share: Of the learned networks in each target update (Polyak averaging); 1: they are copied.
        unit: What is counted.
        period: How many of the unit lie between two target updates.
    """

    share: float
    unit: Literal["gradient steps", "updates", "environment steps"]
    period: int = 1


@dataclass(frozen=True)
class OffPolicySettings:
    """What the learner itself is set by; a method makes it of its configuration.

    Attributes:
        learning_rate: Learning rate of the optimisers when the run begins.
        batch_size: Transitions per gradient step.
        discount: Discount factor.
        target_updates: When target networks follow.
        learning_starts: Environment steps without gradient steps.
        updates_per_step: Gradient steps for every environment step from then on.
        updates_per_rollout: Further gradient steps after every rollout.
        reward_offset: Added to every reward.
        target_clip: The least and the greatest target; infinite: as they are.
        decline: Environment steps between which the learning rate falls linearly to a tenth; equal: it stays.
        device: Where the networks are.
    """

    learning_rate: float
    batch_size: int
    discount: float
    target_updates: TargetUpdates
    learning_starts: int = 0
    updates_per_step: float = 0.0
    updates_per_rollout: int = 0
    reward_offset: float = 0.0
    target_clip: tuple[float, float] = (-np.inf, np.inf)
    decline: tuple[int, int] = (0, 0)
    device: str = "cpu"

    def remaining_rate(self, steps: int) -> float:
        """The share of the learning rate that is left after so many environment steps, 1 to 0.1."""
        first, last = self.decline
        if first >= last:
            return 1.0
        return 1 - (1 - LEAST_RATE) * min(max((steps - first) / (last - first), 0.0), 1.0)

    def due(self, before: int, after: int) -> int:
        """Gradient steps that are due when the environment steps have risen from ``before`` to ``after``."""
        ends = [int(max(steps - self.learning_starts, 0) * self.updates_per_step) for steps in (before, after)]
        return ends[1] - ends[0] + self.updates_per_rollout

    def targets(self, batch: "Transitions", next_values: "torch.Tensor") -> "torch.Tensor":
        """What actions' values should be, by those of the states that follow; both float32 (n, 1)."""
        following = (1 - batch.terminations) * self.discount * next_values
        return (batch.rewards + self.reward_offset + following).clamp(*self.target_clip)

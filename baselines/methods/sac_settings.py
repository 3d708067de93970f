"""Settings of soft actor-critic."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, ReplayConfiguration, TargetUpdates
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    option,
)

#: Share of the target networks that is renewed at every gradient step, as in the published source.
_TARGET_NETWORK_SHARE = 0.005


@dataclass(frozen=True)
class SACConfiguration(ReplayConfiguration):
    """For many rows and short episodes on a CPU."""

    method: ClassVar[str] = "sac"

    num_envs: int = option(32, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(8, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(1e-3, "Learning rate of Adam.", AMOUNT)
    buffer_size: int = option(
        300_000, "Capacity of the replay buffer, in transitions; fewer where they take more than 1 GiB.", COUNT
    )
    learning_starts: int = option(5_000, "Random steps that fill the replay before learning starts.", AMOUNT)
    updates_per_step: float = option(0.25, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.98, "Discount factor.", SHARE)
    hindsight: int = option(
        4, "In goal environments, transitions with another goal to every one as played; 0: none.", AMOUNT
    )
    entropy_weight: float = option(0.05, "Initial weight of the entropy, which is learned.", POSITIVE)
    evaluate_every: int = option(50_000, "Steps between evaluations.", COUNT)
    checkpoint_every: int = option(100_000, "Least steps between checkpoints.", COUNT)

    @property
    def off_policy(self) -> OffPolicySettings:
        """Settings of the learner."""
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(_TARGET_NETWORK_SHARE, "gradient steps"),
            learning_starts=self.learning_starts,
            updates_per_step=self.updates_per_step,
            device=self.device,
        )

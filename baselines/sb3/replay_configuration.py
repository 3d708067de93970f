"""What methods that learn from a replay under a teacher have to be set."""

from dataclasses import dataclass

from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    NUMBER,
    POSITIVE,
    SHARE,
    RolloutConfiguration,
    option,
)
from procgen_bench.core.errors import InvalidOptionError


@dataclass(frozen=True)
class ReplayConfiguration(RolloutConfiguration):
    """Settings of a learner from a replay."""

    learning_rate: float = option(3e-4, "Step size of Adam.", AMOUNT)
    batch_size: int = option(256, "Transitions per gradient step.", COUNT)
    buffer_size: int = option(
        100_000, "Transitions that the replay holds; fewer where they take more than 1 GiB.", COUNT
    )
    learning_starts: int = option(10_000, "Random steps that fill the replay before learning starts.", AMOUNT)
    updates_per_step: float = option(1.0, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.99, "Discount factor.", SHARE)
    width: int = option(128, "Numbers in each dense layer.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)
    network: str = option("", "A network of your own, module:Class, that reads the observations before these layers.")
    stochastic: bool = option(False, "Whether the trained policy explores instead of taking the best action.")


@dataclass(frozen=True)
class DQNConfiguration(ReplayConfiguration):
    """Defaults are APT-Gen's (section B.2) where it gives a figure. More rows and fewer updates are faster."""

    num_envs: int = option(1, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(1, "Steps of every row between updates.", COUNT)
    batch_size: int = option(128, "Transitions per gradient step.", COUNT)
    updates_per_step: float = option(10.0, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.99, "Discount factor (not given in the paper); in TablePush 0.9 learns faster.", SHARE)
    target_update_interval: int = option(
        1, "Environment steps between copies to the target network (not given).", COUNT
    )
    exploration_fraction: float = option(0.1, "Share of training over which epsilon falls (not given).", SHARE)
    exploration_final: float = option(
        0.05, "Epsilon from then on (not given); at 0.1 C's lava ends more episodes.", SHARE
    )
    max_gradient: float = option(10.0, "Greatest norm of the gradient (not given).", POSITIVE)
    clip_next_values: bool = option(True, "Clip the next Q-value to the returns of the episodes in the replay.")
    restore_on_drop: bool = option(True, "Restore the last evaluated policy when its return was above 0 and drops.")
    layers: int = option(1, "Dense layers.", COUNT)
    evaluate_every: int = option(1_000, "Steps between evaluations.", COUNT)
    checkpoint_every: int = option(10_000, "Least steps between checkpoints.", COUNT)


@dataclass(frozen=True)
class SACConfiguration(ReplayConfiguration):
    """For many rows and short episodes on a CPU."""

    num_envs: int = option(32, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(8, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(1e-3, "Step size of Adam.", AMOUNT)
    buffer_size: int = option(
        300_000, "Transitions that the replay holds; fewer where they take more than 1 GiB.", COUNT
    )
    learning_starts: int = option(5_000, "Random steps that fill the replay before learning starts.", AMOUNT)
    updates_per_step: float = option(0.25, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.98, "Discount factor.", SHARE)
    hindsight: int = option(
        4, "In goal environments, transitions with another goal to every one as played; 0: none.", AMOUNT
    )
    entropy_weight: float = option(0.05, "Weight of the entropy, or where it begins if it is learned.", AMOUNT)
    learned_entropy_weight: bool = option(True, "Whether the weight of the entropy is learned.")
    target_entropy: float = option(
        -1.0, "Entropy, for every number of an action, that a learned weight aims at.", NUMBER
    )
    target_network_share: float = option(
        0.005, "Share of the target networks that is renewed at every gradient step.", SHARE
    )
    evaluate_every: int = option(50_000, "Steps between evaluations.", COUNT)
    checkpoint_every: int = option(100_000, "Least steps between checkpoints.", COUNT)

    def __post_init__(self) -> None:
        if self.learned_entropy_weight and self.entropy_weight == 0:
            raise InvalidOptionError(
                "entropy_weight is 0, expected a number above 0: one that is learned grows by shares of itself; give "
                "learned_entropy_weight=False to do without entropy"
            )

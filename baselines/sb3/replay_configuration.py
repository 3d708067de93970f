"""What methods have in common that learn from a replay under a teacher."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.learning.configuration import TaughtConfiguration


@dataclass(frozen=True)
class ReplayConfiguration(TaughtConfiguration):
    """Settings of a learner from a replay."""

    learning_rate: float = option(3e-4, "Step size of Adam.")
    batch_size: int = option(256, "Transitions per gradient step.")
    buffer_size: int = option(100_000, "Transitions that the replay holds; fewer where they take more than 1 GiB.")
    learning_starts: int = option(10_000, "Random steps that fill the replay before learning starts.")
    updates_per_step: float = option(1.0, "Gradient steps for every environment step.")
    discount: float = option(0.99, "Discount factor.")
    width: int = option(128, "Numbers in each dense layer.")
    layers: int = option(2, "Dense layers.")
    stochastic: bool = option(False, "Whether the trained policy explores instead of taking the best action.")

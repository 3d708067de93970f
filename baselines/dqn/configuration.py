"""DQN's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option


@dataclass(frozen=True)
class DQNConfiguration:
    """Defaults are APT-Gen's (section B.2) where it gives a figure."""

    learning_rate: float = option(3e-4, "Step size of Adam.")
    batch_size: int = option(128, "Transitions per update.")
    buffer_size: int = option(100_000, "Transitions that the replay holds.")
    learning_starts: int = option(10_000, "Random steps that fill the replay before learning starts.")
    updates_per_step: int = option(10, "Updates after every environment step.")
    discount: float = option(0.99, "Discount factor (not given in the paper).")
    target_update_interval: int = option(100, "Environment steps between copies to the target network (not given).")
    exploration_fraction: float = option(0.5, "Share of training over which epsilon falls (not given).")
    exploration_final: float = option(0.1, "Epsilon from then on (not given).")
    clip_next_values: bool = option(True, "Clip the next Q-value to the returns of the episodes in the replay.")
    restore_on_drop: bool = option(True, "Restore the last evaluated policy when its return was above 0 and drops.")
    evaluate_every: int = option(1_000, "Steps between evaluations.")
    checkpoint_every: int = option(10_000, "Least steps between checkpoints.")
    stochastic: bool = option(False, "Whether the trained policy draws its actions instead of taking the best.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.")

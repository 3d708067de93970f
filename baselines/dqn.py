"""Deep Q-learning (Mnih et al., 2015) under a teacher, with the settings and stabilisers of APT-Gen's students (B)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.sb3.replay_configuration import ReplayConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class DQNConfiguration(ReplayConfiguration):
    """Defaults are APT-Gen's (section B.2) where it gives a figure. More rows and fewer updates are faster."""

    num_envs: int = option(1, "Rows of the vector environment.")
    rollout_steps: int = option(1, "Steps of every row between updates.")
    batch_size: int = option(128, "Transitions per gradient step.")
    updates_per_step: float = option(10.0, "Gradient steps for every environment step.")
    discount: float = option(0.99, "Discount factor (not given in the paper).")
    target_update_interval: int = option(100, "Environment steps between copies to the target network (not given).")
    exploration_fraction: float = option(0.5, "Share of training over which epsilon falls (not given).")
    exploration_final: float = option(0.1, "Epsilon from then on (not given).")
    max_gradient: float = option(10.0, "Greatest norm of the gradient (not given).")
    clip_next_values: bool = option(True, "Clip the next Q-value to the returns of the episodes in the replay.")
    restore_on_drop: bool = option(True, "Restore the last evaluated policy when its return was above 0 and drops.")
    layers: int = option(1, "Dense layers.")
    evaluate_every: int = option(1_000, "Steps between evaluations.")
    checkpoint_every: int = option(10_000, "Least steps between checkpoints.")


def train(benchmark: Benchmark, configuration: DQNConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.sb3.q_learner import QLearner
    from procgen_bench.baselines.sb3.replay_training import train_from_replay
    from procgen_bench.baselines.sb3.value_policy import ValuePolicy

    def make_learner(rows, *others):
        return QLearner(rows.env.single_observation_space, rows.env.single_action_space, *others)

    return train_from_replay("dqn", benchmark, configuration, seed, steps, out, make_learner, ValuePolicy)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("dqn")

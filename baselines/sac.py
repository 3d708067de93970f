"""Soft actor-critic (Haarnoja et al., 2018) under a teacher, with hindsight replay in goal environments."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.sb3.replay_configuration import ReplayConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class SACConfiguration(ReplayConfiguration):
    """For many rows and short episodes on a CPU."""

    num_envs: int = option(32, "Rows of the vector environment.")
    rollout_steps: int = option(8, "Steps of every row between updates.")
    learning_rate: float = option(1e-3, "Step size of Adam.")
    buffer_size: int = option(300_000, "Transitions that the replay holds; fewer where they take more than 1 GiB.")
    learning_starts: int = option(5_000, "Random steps that fill the replay before learning starts.")
    updates_per_step: float = option(0.25, "Gradient steps for every environment step.")
    discount: float = option(0.98, "Discount factor.")
    hindsight: int = option(4, "In goal environments, transitions with another goal to every one as played; 0: none.")
    entropy_weight: float = option(0.05, "Weight of the entropy, or where it begins if it is learned.")
    learned_entropy_weight: bool = option(True, "Whether the weight of the entropy is learned.")
    target_entropy: float = option(-1.0, "Entropy, for every number of an action, that a learned weight aims at.")
    target_share: float = option(0.005, "Share of the target networks that is renewed at every gradient step.")
    evaluate_every: int = option(50_000, "Steps between evaluations.")
    checkpoint_every: int = option(100_000, "Least steps between checkpoints.")


def train(benchmark: Benchmark, configuration: SACConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.sb3.replay_training import train_from_replay
    from procgen_bench.baselines.sb3.soft_learner import SoftLearner
    from procgen_bench.baselines.sb3.squashed_policy import SquashedPolicy
    from procgen_bench.engine.goal_env import GoalRows

    def make_learner(rows, *others):
        goals = rows.env if isinstance(rows.env, GoalRows) else None
        return SoftLearner(rows.env.single_observation_space, rows.env.single_action_space, *others, goals=goals)

    return train_from_replay("sac", benchmark, configuration, seed, steps, out, make_learner, SquashedPolicy)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("sac")

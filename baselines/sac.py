"""Soft actor-critic (Haarnoja et al., 2018) under a teacher, with hindsight replay in goal environments."""

from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.sb3.replay_configuration import SACConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


def train(benchmark: Benchmark, configuration: SACConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.action_kinds import check_bounded
    from procgen_bench.baselines.sb3.replay_training import train_from_replay
    from procgen_bench.baselines.sb3.soft_learner import SoftLearner
    from procgen_bench.baselines.sb3.squashed_policy import SquashedPolicy
    from procgen_bench.engine.goal_env import GoalRows

    def make_learner(rows, *others):
        goals = rows.env if isinstance(rows.env, GoalRows) else None
        return SoftLearner(rows.observation_space, rows.env.single_action_space, *others, goals=goals)

    return train_from_replay(
        "sac", benchmark, configuration, seed, steps, out, make_learner, SquashedPolicy, check_bounded
    )


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("sac")

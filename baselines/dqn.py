"""Deep Q-learning (Mnih et al., 2015) under a teacher, with the settings and stabilisers of APT-Gen's students (B)."""

from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.sb3.replay_configuration import DQNConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


def train(benchmark: Benchmark, configuration: DQNConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.action_kinds import check_few
    from procgen_bench.baselines.sb3.q_learner import QLearner
    from procgen_bench.baselines.sb3.replay_training import train_from_replay
    from procgen_bench.baselines.sb3.value_policy import ValuePolicy

    def make_learner(rows, *others):
        return QLearner(rows.observation_space, rows.env.single_action_space, *others)

    return train_from_replay("dqn", benchmark, configuration, seed, steps, out, make_learner, ValuePolicy, check_few)


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("dqn")

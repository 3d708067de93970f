"""DQN with the distance reward exposed at every step, as Sibling Rivalry's rival (section 4.2 and appendix F)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.training.settings import for_environment
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


@dataclass(frozen=True)
class DQNDenseConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""


def train(benchmark: Benchmark, configuration: DQNDenseConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.off_policy.q_learning import FIGURES, GoalDQN
    from procgen_bench.baselines.off_policy.training import train_from_hindsight
    from procgen_bench.baselines.parts.hierarchy import GoalPolicy

    configuration = for_environment(configuration, benchmark.environment_id, FIGURES)
    return train_from_hindsight(
        "dqn-dense", benchmark, configuration, seed, steps, out, GoalDQN, GoalPolicy, relabelled=0, dense=True
    )


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("dqn-dense")

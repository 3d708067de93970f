"""DQN with hindsight experience replay (Andrychowicz et al., 2017), as Sibling Rivalry's rival (table 2)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.training.settings import AMOUNT, for_environment, option
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


@dataclass(frozen=True)
class DQNHERConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).", AMOUNT)


def train(benchmark: Benchmark, configuration: DQNHERConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.off_policy.q_learning import FIGURES, GoalDQN
    from procgen_bench.baselines.off_policy.training import train_from_hindsight
    from procgen_bench.baselines.parts.hierarchy import GoalPolicy

    configuration = for_environment(configuration, benchmark.environment_id, FIGURES)
    return train_from_hindsight(
        "dqn-her", benchmark, configuration, seed, steps, out, GoalDQN, GoalPolicy, configuration.relabelled
    )


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("dqn-her")

"""DDPG with hindsight experience replay (Andrychowicz et al., 2017), as Sibling Rivalry's rival (table 2)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.parts.episode_learner import ANT_EVALUATION_TASKS
from procgen_bench.baselines.training.settings import AMOUNT, PaperDefaults, for_environment, option
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder

#: Table 2's figures that differ between environments, but for the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 64 (ant: 128), so the same step on one process has
#: 1,280 (2,560) transitions. With the default, 4 million steps in the point maze take five minutes on one core.
_FIGURES: PaperDefaults = {
    "SparsePointMaze-v0": {"action_l2": 0.25, "batch_size": 512},
    "SparseAntMaze-v0": {"action_l2": 0.0002, "batch_size": 512, "evaluation_tasks": ANT_EVALUATION_TASKS},
}


@dataclass(frozen=True)
class DDPGHERConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).", AMOUNT)
    noise: float = option(
        0.1, "Standard deviation of behaviour's noise, as a share of an action's greatest size.", AMOUNT
    )
    action_l2: float | None = option(
        None, "Weight of the mean squared action; the paper's for the environment by default.", AMOUNT
    )


def train(benchmark: Benchmark, configuration: DDPGHERConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.off_policy.deterministic_gradient import GoalDDPG
    from procgen_bench.baselines.off_policy.deterministic_policy import DeterministicPolicy
    from procgen_bench.baselines.off_policy.training import train_from_hindsight

    configuration = for_environment(configuration, benchmark.environment_id, _FIGURES)
    return train_from_hindsight(
        "ddpg-her",
        benchmark,
        configuration,
        seed,
        steps,
        out,
        GoalDDPG,
        DeterministicPolicy,
        relabelled=configuration.relabelled,
        noise=configuration.noise,
        action_l2=configuration.action_l2,
    )


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("ddpg-her")

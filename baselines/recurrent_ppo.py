"""Proximal policy optimisation with memory, under a teacher, in any environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.configuration import COUNT, option
from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class RecurrentPPOConfiguration(PolicyGradientConfiguration):
    """Settings for what has to be remembered: whole rollouts are learned from in their order."""

    num_envs: int = option(512, "Rows of the vector environment.", COUNT)
    memory: int = option(128, "Numbers that the network remembers.", COUNT)


def train(
    benchmark: Benchmark, configuration: RecurrentPPOConfiguration, seed: int, steps: int, out: Path
) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.policy_gradient.training import train_policy_gradient

    return train_policy_gradient("recurrent-ppo", benchmark, configuration, seed, steps, out)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("recurrent-ppo")

"""Proximal policy optimisation (Schulman et al., 2017) under a teacher, in any environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class PPOConfiguration(PolicyGradientConfiguration):
    """Settings for short episodes and many rows on a CPU."""


def train(benchmark: Benchmark, configuration: PPOConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.policy_gradient.training import train_policy_gradient

    return train_policy_gradient("ppo", benchmark, configuration, seed, steps, out)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo")

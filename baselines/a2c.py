"""Advantage actor-critic (Mnih et al., 2016), all rows at once, under a teacher, in any environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from procgen_bench.baselines.configuration import AMOUNT, COUNT, SHARE, option
from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class A2CConfiguration(PolicyGradientConfiguration):
    """Defaults are stable-baselines3's but for the rows: one plain gradient step for five steps of every row."""

    num_envs: int = option(64, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(5, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(7e-4, "Step size of the optimiser.", AMOUNT)
    minibatches: int = option(1, "Minibatches of each epoch.", COUNT)
    epochs: int = option(1, "Passes over each rollout.", COUNT)
    gae_lambda: float = option(1.0, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.0, "Clip range of the probability ratio; 0: the plain policy gradient.", AMOUNT)
    normalise: bool = option(False, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("rmsprop", "The optimiser.")


def train(benchmark: Benchmark, configuration: A2CConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.policy_gradient.training import train_policy_gradient

    return train_policy_gradient("a2c", benchmark, configuration, seed, steps, out)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("a2c")

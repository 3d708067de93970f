"""DQN with impact-driven exploration (Raileanu & Rocktäschel, 2020), an exploring rival of APT-Gen (section 4.2)."""

from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.sb3.exploring_configuration import ExploringConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


def train(benchmark: Benchmark, configuration: ExploringConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    from procgen_bench.baselines.parts.bonuses.impact import Impact
    from procgen_bench.baselines.sb3.exploring_training import train_exploring

    return train_exploring("dqn-ride", benchmark, configuration, seed, steps, out, Impact, episodic=True)


if __name__ == "__main__":
    from procgen_bench.baselines.training.command_line import main

    main("dqn-ride")

"""Training DDPG with hindsight."""

from pathlib import Path
from typing import Any

from procgen_bench.baselines.ddpg_her.algorithm import GoalDDPG
from procgen_bench.baselines.ddpg_her.configuration import DDPGHERConfiguration
from procgen_bench.baselines.off_policy.training import train_from_replay
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark

#: Table 2's figures that differ between environments, but for the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 64 (ant: 128), so the same step on one process has
#: 1,280 (2,560) transitions. With the default, 4 million steps in the point maze take five minutes on one core.
_FIGURES: dict[str, dict[str, Any]] = {
    "SparsePointMaze-v0": {"action_l2": 0.25, "batch_size": 512},
    "SparseAntMaze-v0": {"action_l2": 0.0002, "batch_size": 512},
}


def train(benchmark: Benchmark, configuration: DDPGHERConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole horizons); resumes the run that ``out`` holds."""
    configuration = configuration.with_defaults(_FIGURES[benchmark.environment_id])
    return train_from_replay(
        "ddpg-her",
        benchmark,
        configuration,
        seed,
        steps,
        out,
        GoalDDPG,
        relabelled=configuration.relabelled,
        noise=configuration.noise,
        action_l2=configuration.action_l2,
    )

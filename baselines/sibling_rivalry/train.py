"""Training Sibling Rivalry."""

from pathlib import Path
from typing import Any

from procgen_bench.baselines.episodic.training import paper_figures, train_on_episodes
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sibling_rivalry.configuration import SiblingRivalryConfiguration
from procgen_bench.baselines.sibling_rivalry.siblings import SiblingRivalry
from procgen_bench.benchmark import Benchmark
from procgen_bench.goal_env import GoalVectorEnv

#: Table 1's figures that differ between environments; voxel building's are the bits'.
_FIGURES: dict[str, dict[str, Any]] = {
    "BitGrid-v0": {"epsilon": float("inf"), "entropy_weight": 0.0, "per_step": False},
    "SparsePointMaze-v0": {"epsilon": 5.0, "per_step": False},
    "SparseAntMaze-v0": {"epsilon": 10.0, "per_step": False},
    "VoxelBuild-v0": {"epsilon": float("inf"), "entropy_weight": 0.0, "per_step": True},
}


def train(
    benchmark: Benchmark, configuration: SiblingRivalryConfiguration, seed: int, steps: int, out: Path
) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    environment_id = benchmark.environment_id
    configuration = configuration.with_defaults(paper_figures(environment_id) | _FIGURES[environment_id])

    def make_labeller(rows: GoalVectorEnv) -> SiblingRivalry:
        return SiblingRivalry(rows.distance, rows.distance_threshold, configuration.epsilon, configuration.per_step)

    siblings = "goal" if configuration.own_starts else "start and goal"
    return train_on_episodes("sibling-rivalry", benchmark, configuration, seed, steps, out, make_labeller, siblings)

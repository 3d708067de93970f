"""Training PPO on the Grid Oracle's reward."""

from pathlib import Path

import gymnasium

from procgen_bench.baselines.episodic.training import paper_figures, train_on_episodes
from procgen_bench.baselines.ppo_grid_oracle.configuration import GridOracleConfiguration
from procgen_bench.baselines.ppo_grid_oracle.grid_oracle import GridOracle
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark


def train(benchmark: Benchmark, configuration: GridOracleConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds.

    Raises:
        InvalidOptionError: The environment's goals are no places on a bounded plane, or there are no regions.
    """
    configuration = configuration.with_defaults(paper_figures(benchmark.environment_id))
    with gymnasium.make(benchmark.environment_id) as env:
        plane = env.observation_space["achieved_goal"]
    oracle = GridOracle(plane, configuration.divisions, configuration.region_weight)
    return train_on_episodes(
        "ppo-grid-oracle", benchmark, configuration, seed, steps, out, lambda rows: oracle, siblings="none"
    )

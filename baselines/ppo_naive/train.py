"""Training PPO on the terminal distance."""

from pathlib import Path

from procgen_bench.baselines.episodic.training import train_on_episodes
from procgen_bench.baselines.ppo_naive.configuration import NaiveConfiguration
from procgen_bench.baselines.ppo_naive.terminal_distance import TerminalDistance
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark
from procgen_bench.goal_env import GoalVectorEnv


def train(benchmark: Benchmark, configuration: NaiveConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""

    def make_labeller(rows: GoalVectorEnv) -> TerminalDistance:
        return TerminalDistance(rows.distance, rows.distance_threshold)

    return train_on_episodes("ppo-naive", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")

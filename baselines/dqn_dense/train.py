"""Training DQN with dense rewards."""

from pathlib import Path

from procgen_bench.baselines.dqn_dense.configuration import DQNDenseConfiguration
from procgen_bench.baselines.dqn_dense.rewards import DenseTaskVecEnv
from procgen_bench.baselines.off_policy.q_learning import BATCH_SIZES, GoalDQN
from procgen_bench.baselines.off_policy.training import train_from_replay
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark


def train(benchmark: Benchmark, configuration: DQNDenseConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole horizons); resumes the run that ``out`` holds."""
    configuration = configuration.with_defaults({"batch_size": BATCH_SIZES[benchmark.environment_id]})
    return train_from_replay(
        "dqn-dense", benchmark, configuration, seed, steps, out, GoalDQN, relabelled=0, env_type=DenseTaskVecEnv
    )

"""Training DQN on a benchmark's own tasks."""

from pathlib import Path

import torch

from procgen_bench.baselines.dqn.algorithm import ClippedDQN
from procgen_bench.baselines.dqn.configuration import DQNConfiguration
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sb3.network import POLICY_KEYWORDS
from procgen_bench.baselines.sb3.training import run_training
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.benchmark import Benchmark


def train(benchmark: Benchmark, configuration: DQNConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps on the benchmark's tasks; resumes the run that ``out`` holds."""
    run = RunFolder(out, "dqn", benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = TaskVecEnv(benchmark.environment_id, num_envs=1, tasks=list(benchmark.task_suite().tasks))
    algorithm = ClippedDQN(
        "MultiInputPolicy",
        env,
        learning_rate=configuration.learning_rate,
        batch_size=configuration.batch_size,
        buffer_size=configuration.buffer_size,
        learning_starts=configuration.learning_starts,
        train_freq=1,
        gradient_steps=configuration.updates_per_step,
        gamma=configuration.discount,
        target_update_interval=configuration.target_update_interval,
        exploration_fraction=configuration.exploration_fraction,
        exploration_final_eps=configuration.exploration_final,
        clip_next_values=configuration.clip_next_values,
        restore_on_drop=configuration.restore_on_drop,
        policy_kwargs=POLICY_KEYWORDS,
        seed=seed,
        device="cpu",
    )
    run_training(algorithm, run)
    env.close()
    return run

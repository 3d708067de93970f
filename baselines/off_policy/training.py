"""How an off-policy method is trained: its rows, its replay and the loop."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.encoder import array_leaves
from procgen_bench.baselines.episodic.hierarchy import steps_per_action, training_options
from procgen_bench.baselines.episodic.training import training_tasks
from procgen_bench.baselines.off_policy.algorithm import OffPolicyLearner
from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.off_policy.replay import EpisodeReplay
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sb3.training import run_training
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.engine.goal_env import GoalEnv


def train_from_replay(
    method: str,
    benchmark: Benchmark,
    configuration: OffPolicyConfiguration,
    seed: int,
    steps: int,
    out: Path,
    algorithm_type: type[OffPolicyLearner],
    relabelled: int,
    env_type: type[TaskVecEnv] = TaskVecEnv,
    **keywords: Any,
) -> RunFolder:
    """Train a method for ``steps`` environment steps (rounded up to whole horizons); resumes the run in ``out``.

    Args:
        method: The method's name.
        benchmark: What is trained for.
        configuration: The method's settings, none of which is ``None``.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.
        algorithm_type: What learns.
        relabelled: Relabelled transitions to every one as played.
        env_type: The rows.
        **keywords: The algorithm's own.
    """
    run = RunFolder(out, method, benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = env_type(
        benchmark.environment_id,
        configuration.rollouts,
        tasks=training_tasks(benchmark, seed),
        **training_options(benchmark.environment_id),
    )
    assert isinstance(env.rows.single, GoalEnv)  # hindsight is for goals
    algorithm = algorithm_type(
        env=env,
        rng=np.random.default_rng(seed_from_parts("off-policy", seed)),
        steps_per_action=steps_per_action(benchmark.environment_id),
        epsilon=configuration.epsilon,
        learning_rate=configuration.learning_rate,
        batch_size=configuration.batch_size,
        buffer_size=configuration.buffer_size,
        learning_starts=0,
        train_freq=env.rows.single.horizon,
        gradient_steps=configuration.minibatches,
        gamma=configuration.discount,
        tau=1 - configuration.polyak,
        replay_buffer_class=EpisodeReplay,
        replay_buffer_kwargs={"n_sampled_goal": relabelled, "as_bytes": _holds_bits(env)},
        seed=seed,
        device="cpu",
        **keywords,
    )
    run_training(algorithm, run)
    env.close()
    return run


def _holds_bits(env: TaskVecEnv) -> bool:
    """Whether goals are arrays, as those of bits and blocks are, and not vectors (the replay refuses other numbers)."""
    return len(array_leaves(env.observation_space)["desired_goal"].shape) > 1

"""How a method that learns from whole episodes is trained: its rows, the paper's figures, PPO and the loop."""

from pathlib import Path

import numpy as np
import torch

from procgen_bench.baselines.episodic.algorithm import EpisodePPO
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration
from procgen_bench.baselines.episodic.episodes import Siblings
from procgen_bench.baselines.episodic.hierarchy import steps_per_action, training_options
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sb3.training import run_training
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task

#: Variations of each of a benchmark's tasks that are trained on where the environment draws other tasks of its own.
_VARIATIONS = 20


def train_on_episodes(
    method: str,
    benchmark: Benchmark,
    configuration: EpisodicConfiguration,
    seed: int,
    steps: int,
    out: Path,
    make_labeller,
    siblings: Siblings,
) -> RunFolder:
    """Train a method for ``steps`` environment steps (rounded up to whole rollouts); resumes the run in ``out``.

    Args:
        method: The method's name.
        benchmark: What is trained for.
        configuration: The method's settings, none of which is ``None`` but ``evaluation_tasks``.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.
        make_labeller: Environment -> the rule that labels its episodes; called once the run's generators are seeded.
        siblings: What the rows of a pair share.
    """
    assert configuration.learning_rate_decay is not None  # see above
    run = RunFolder(out, method, benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = TaskVecEnv(
        benchmark.environment_id,
        configuration.rollouts,
        tasks=training_tasks(benchmark, seed),
        **training_options(benchmark.environment_id),
    )
    torch.manual_seed(seed_from_parts("labeller", seed))
    algorithm = EpisodePPO(
        env,
        make_labeller(env.rows),
        siblings,
        anti_goal=siblings != "none",
        minibatches=configuration.minibatches,
        learning_rate_decay=configuration.learning_rate_decay,
        bootstrap=configuration.bootstrap,
        steps_per_action=steps_per_action(benchmark.environment_id),
        learning_rate=configuration.learning_rate,
        n_epochs=configuration.epochs,
        gamma=configuration.discount,
        gae_lambda=configuration.gae_lambda,
        clip_range=configuration.clip_range,
        ent_coef=configuration.entropy_weight,
        seed=seed,
    )
    run_training(algorithm, run)
    env.close()
    return run


def training_tasks(benchmark: Benchmark, seed: int) -> list[Task] | None:
    """Tasks to train on: ``None`` (the environment's own draws) where the suite is drawn as the environment draws.

    Otherwise variations of the benchmark's tasks, from a generator that no suite was drawn from.
    """
    if benchmark.suite == "test":
        return None
    rng = np.random.default_rng(seed_from_parts("training tasks", benchmark.id, seed))
    space = environment_type(benchmark.environment_id).task_space
    return [space.redrawn(task, rng) for task in benchmark.task_suite().tasks for _ in range(_VARIATIONS)]

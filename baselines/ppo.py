"""Proximal policy optimisation over the native vector environment, under a teacher."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.training_tasks import tasks_of_the_suite
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder
    from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
    from procgen_bench.core.task import Task


@dataclass(frozen=True)
class PPOConfiguration:
    """Settings for short episodes and many rows on a CPU."""

    teacher: Literal["uniform", "none"] = option(
        "uniform", "Who proposes tasks: uniform (the whole task space), or none (the benchmark's own tasks)."
    )
    solvable: bool = option(True, "Whether the teacher proposes solvable tasks only.")
    num_envs: int = option(256, "Rows of the vector environment.")
    rollout_steps: int = option(32, "Steps of every row between updates.")
    learning_rate: float = option(1e-3, "Step size of Adam.")
    batch_size: int = option(2_048, "Transitions per gradient step.")
    epochs: int = option(4, "Passes over each rollout.")
    discount: float = option(0.99, "Discount factor.")
    gae_lambda: float = option(0.95, "Decay of generalised advantage estimation.")
    clip_range: float = option(0.2, "Clip range of the probability ratio.")
    entropy_weight: float = option(0.01, "Weight of the entropy bonus.")
    evaluate_every: int = option(250_000, "Steps between evaluations.")
    checkpoint_every: int = option(250_000, "Least steps between checkpoints.")
    stochastic: bool = option(True, "Whether the trained policy draws its actions instead of taking the best.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.")


def train(benchmark: Benchmark, configuration: PPOConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    import torch

    from procgen_bench.baselines.run_folder import RunFolder
    from procgen_bench.baselines.sb3.network import POLICY_KEYWORDS
    from procgen_bench.baselines.sb3.resumable_ppo import ResumablePPO
    from procgen_bench.baselines.sb3.training import run_training

    tasks = tasks_of_the_suite(benchmark) if configuration.teacher == "none" else None
    run = RunFolder(out, "ppo", benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = _training_env(benchmark, configuration, seed, tasks)
    algorithm = ResumablePPO(
        "MultiInputPolicy",
        env,
        learning_rate=configuration.learning_rate,
        n_steps=configuration.rollout_steps,
        batch_size=configuration.batch_size,
        n_epochs=configuration.epochs,
        gamma=configuration.discount,
        gae_lambda=configuration.gae_lambda,
        clip_range=configuration.clip_range,
        ent_coef=configuration.entropy_weight,
        policy_kwargs=POLICY_KEYWORDS,
        seed=seed,
        device="cpu",
    )
    run_training(algorithm, run)
    env.close()
    return run


def _training_env(
    benchmark: Benchmark, configuration: PPOConfiguration, seed: int, tasks: "list[Task] | None"
) -> "TaskVecEnv":
    import numpy as np

    from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
    from procgen_bench.baselines.teachers import UniformTeacher

    if tasks is not None:
        return TaskVecEnv(benchmark.environment_id, configuration.num_envs, tasks=tasks)
    rng = np.random.default_rng(seed_from_parts("teacher", seed))
    teacher = UniformTeacher(environment_type(benchmark.environment_id).task_space, rng, configuration.solvable)
    return TaskVecEnv(benchmark.environment_id, configuration.num_envs, teacher)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo")

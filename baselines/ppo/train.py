"""Training PPO under a teacher."""

from pathlib import Path

import numpy as np
import torch
from stable_baselines3 import PPO

from procgen_bench.baselines.ppo.configuration import PPOConfiguration
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sb3.network import POLICY_KEYWORDS
from procgen_bench.baselines.sb3.policy import head_weights
from procgen_bench.baselines.sb3.resumable import Resumable
from procgen_bench.baselines.sb3.training import run_training
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.baselines.teachers import UniformTeacher
from procgen_bench.benchmark import Benchmark
from procgen_bench.registration import environment_type
from procgen_bench.seeding import seed_from_parts


class ResumablePPO(Resumable, PPO):
    """stable-baselines3's PPO; it has no state of its own beside what that keeps."""

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The actor's weights."""
        return head_weights(self.policy.features_extractor, self.policy.action_net)


def train(benchmark: Benchmark, configuration: PPOConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    run = RunFolder(out, "ppo", benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = _training_env(benchmark, configuration, seed)
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


def _training_env(benchmark: Benchmark, configuration: PPOConfiguration, seed: int) -> TaskVecEnv:
    if configuration.teacher == "none":
        tasks = list(benchmark.task_suite().tasks)
        return TaskVecEnv(benchmark.environment_id, configuration.num_envs, tasks=tasks)
    rng = np.random.default_rng(seed_from_parts("teacher", seed))
    teacher = UniformTeacher(environment_type(benchmark.environment_id).task_space, rng, configuration.solvable)
    return TaskVecEnv(benchmark.environment_id, configuration.num_envs, teacher)

"""Deep Q-learning on the target task, as APT-Gen's students and its model-free rival learn (section B)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.training_tasks import tasks_of_the_suite
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class DQNConfiguration:
    """Defaults are APT-Gen's (section B.2) where it gives a figure."""

    learning_rate: float = option(3e-4, "Step size of Adam.")
    batch_size: int = option(128, "Transitions per update.")
    buffer_size: int = option(100_000, "Transitions that the replay holds.")
    learning_starts: int = option(10_000, "Random steps that fill the replay before learning starts.")
    updates_per_step: int = option(10, "Updates after every environment step.")
    discount: float = option(0.99, "Discount factor (not given in the paper).")
    target_update_interval: int = option(100, "Environment steps between copies to the target network (not given).")
    exploration_fraction: float = option(0.5, "Share of training over which epsilon falls (not given).")
    exploration_final: float = option(0.1, "Epsilon from then on (not given).")
    clip_next_values: bool = option(True, "Clip the next Q-value to the returns of the episodes in the replay.")
    restore_on_drop: bool = option(True, "Restore the last evaluated policy when its return was above 0 and drops.")
    evaluate_every: int = option(1_000, "Steps between evaluations.")
    checkpoint_every: int = option(10_000, "Least steps between checkpoints.")
    stochastic: bool = option(False, "Whether the trained policy draws its actions instead of taking the best.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.")


def train(benchmark: Benchmark, configuration: DQNConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train for ``steps`` environment steps on the benchmark's tasks; resumes the run that ``out`` holds."""
    import torch

    from procgen_bench.baselines.run_folder import RunFolder
    from procgen_bench.baselines.sb3.clipped_dqn import ClippedDQN
    from procgen_bench.baselines.sb3.network import POLICY_KEYWORDS
    from procgen_bench.baselines.sb3.training import run_training
    from procgen_bench.baselines.sb3.vec_env import TaskVecEnv

    tasks = tasks_of_the_suite(benchmark)
    run = RunFolder(out, "dqn", benchmark, configuration, seed, steps)
    torch.set_num_threads(configuration.threads)
    env = TaskVecEnv(benchmark.environment_id, num_envs=1, tasks=tasks)
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


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("dqn")

"""PPO's settings."""

from dataclasses import dataclass
from typing import Literal

from procgen_bench.baselines.configuration import option


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

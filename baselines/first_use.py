"""Training for a moment, so that everything is compiled that learners and their teachers need."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.core.benchmarks import get_benchmark

#: Method, benchmark, settings and steps of runs that together compile all there is: gradient steps and replays of
#: Q-learning and APT-Gen's networks; advantages and scattered sums; pages of sites; scores of goals.
_RUNS: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    (
        "dqn",
        "grid-world/target-a",
        {"teacher": "apt-gen", "teacher_options": "warm_up=60,batch=8", "learning_starts": 8, "batch_size": 8},
        150,
    ),
    ("ppo", "grid-world/graded", {"num_envs": 4, "rollout_steps": 6, "minibatches": 2, "evaluation_tasks": 1}, 24),
    ("pair-ppo", "gminiwob/test", {"num_envs": 4, "rollout_steps": 6, "minibatches": 2, "evaluation_tasks": 1}, 24),
    ("sibling-rivalry", "bit-grid/test", {"rollouts": 4, "minibatches": 2, "evaluation_tasks": 1}, 200),
)


def train_once() -> None:
    """Train every run from its beginning to its few steps' end, and keep none.

    Raises:
        MissingExtraError: A package that learners need is not installed.
    """
    with TemporaryDirectory() as scratch:
        for method_name, benchmark_id, settings, steps in _RUNS:
            method, benchmark = METHODS[method_name], get_benchmark(benchmark_id)
            configuration = method.configured(benchmark.environment_id, settings)
            method.train(benchmark, configuration, 0, steps, Path(scratch) / method_name)

"""The fixed list of episodes that a benchmark demands of every run, and the seeds that a policy is bound to."""

from functools import cached_property

import gymnasium
import numpy as np

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.metadata import Run
from procgen_bench.seeding import seed_from_parts
from procgen_bench.task_suite import TaskSuite


class Protocol:
    """What every run of a benchmark plays: each task of the suite in turn, ``episodes_per_task`` times in a row.

    Attributes:
        benchmark: The benchmark.
    """

    def __init__(self, benchmark: Benchmark):
        self.benchmark = benchmark

    @cached_property
    def suite(self) -> TaskSuite:
        """The tasks that are scored."""
        return self.benchmark.task_suite()

    @cached_property
    def task_indices(self) -> np.ndarray:
        """int32 (episodes of a run,): which task of the suite each episode plays."""
        return np.repeat(np.arange(len(self.suite), dtype=np.int32), self.benchmark.episodes_per_task)

    @cached_property
    def action_space(self) -> gymnasium.Space:
        """The environment's action space."""
        with gymnasium.make(self.benchmark.environment_id) as env:
            return env.action_space

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        return gymnasium.spec(self.benchmark.environment_id).max_episode_steps

    def seeds(self, run: Run) -> np.ndarray:
        """uint64 (episodes of a run,): the episodes' seeds, known only once the policy is fixed."""
        benchmark = self.benchmark
        bound_to = (benchmark.id, benchmark.version, run.policy_hash, run.training_seed)
        return np.array([seed_from_parts(*bound_to, k) for k in range(len(self.task_indices))], np.uint64)

"""What policies score on the tasks that learning curves of the small are drawn by, the same episodes for all."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import Policy
from procgen_bench.leaderboards.reproduction.xland.playing import ENVIRONMENT, one_torch_thread
from procgen_bench.tasks.xland.task import XLandTask

#: ``small_validation``, in which this benchmark's learners are compared.
_BENCHMARK = "xland/small"
#: Of every task.
EPISODES = 2


@dataclass(frozen=True)
class ValidationTasks:
    """Tasks of the suite, and the seeds of their episodes.

    Attributes:
        tasks: n of them.
        best: float64 (n,), the best returns that are known of them.
        seeds: ``EPISODES`` for each task, side by side.
    """

    tasks: list[XLandTask]
    best: np.ndarray
    seeds: list[int]

    def play(self, policy: Policy) -> tuple[np.ndarray, np.ndarray]:
        """Of every task, the mean return and the share of episodes that are rewarded, float64 (n,) each."""
        policy.seed(0)
        with one_torch_thread():
            episodes = play_episodes(
                policy, ENVIRONMENT, [task for task in self.tasks for _ in range(EPISODES)], self.seeds
            )
        columns = np.array([[one.return_, one.success] for one in episodes], np.float64)
        returns, successes = columns.reshape(-1, EPISODES, 2).mean(axis=1).T
        return returns, successes


def draw_validation_tasks(samples: int, rng: np.random.Generator, figure: int) -> ValidationTasks:
    """So many tasks of the suite, each once.

    Raises:
        InvalidOptionError: The suite has fewer tasks; the error names the figure.
    """
    suite = get_benchmark(_BENCHMARK).curve_suite()
    if samples > len(suite.tasks):
        raise InvalidOptionError(
            f"samples of figure {figure} is {samples}, expected at most {len(suite.tasks)}, the suite's"
        )
    chosen = rng.permutation(len(suite.tasks))[:samples]
    seeds = rng.integers(2**31, size=samples * EPISODES).tolist()
    return ValidationTasks([suite.tasks[place] for place in chosen], suite.records["best_return"][chosen], seeds)

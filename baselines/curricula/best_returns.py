"""BestReturns: how much the family's solver earns on a level, beside which a student's return is its true regret."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.core.task import Task

#: Levels of which the return is kept: more than teachers replay.
_KEPT = 16_384


class BestReturns:
    """Plays the solution of the levels' task space in their environment.

    It is the best return where the solver's solutions are the best ones (a shortest path, where time costs and no other
    solution earns more); elsewhere it is the return of the family's expert. The environment is made at the first level.

    Args:
        levels: Whose benchmark and task space it is; :func:`.check_solver` says whether there is a solver.
        row_options: Arguments of the environment's constructor, by name, as the student's rows have them.
    """

    def __init__(self, levels: LevelSource, row_options: dict[str, Any]):
        self._space, self._environment_id = levels.task_space, levels.benchmark.environment_id
        self._row_options = row_options
        self._env: Any = None
        self._kept = lru_cache(_KEPT)(self._played)

    def of(self, tasks: Sequence[Task]) -> np.ndarray:
        """Undiscounted returns float64 (n,) of the solutions; NaN where the solver finds none."""
        return np.array([self._kept(task) for task in tasks], np.float64)

    def _played(self, task: Task) -> float:
        try:
            actions = self._space.solve(task)
        except UnsolvedTaskError:
            actions = None
        if actions is None:
            return float("nan")
        if self._env is None:
            self._env = make_task_vector_env(self._environment_id, 1, self._row_options)
        seeds: Any = [0]  # of every row, which Gymnasium's annotation leaves out
        self._env.reset(seed=seeds, options={"task": [task]})
        given, earned = np.zeros(self._env.action_space.shape or (), self._env.action_space.dtype), 0.0
        for action in actions:
            given[0] = action
            _, rewards, terminations, truncations, _ = self._env.step(given)
            earned += float(rewards[0])
            if terminations[0] or truncations[0]:
                break
        return earned

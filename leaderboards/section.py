"""Section: a benchmark with its rows."""

from dataclasses import dataclass
from functools import cached_property

import gymnasium
import numpy as np

from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.figures import MAX_SERIES
from procgen_bench.leaderboards.table import Row
from procgen_bench.task_suite import TaskSuite

#: Names of the suites' records in words; other records go by their own name.
_RECORD_TITLES = {"length": "shortest solution", "size": "number of subtasks"}


@dataclass(frozen=True, eq=False)
class Section:
    """A benchmark with its rows: what one page and its entries' pages are about."""

    benchmark: Benchmark
    rows: list[Row]

    @cached_property
    def suite(self) -> TaskSuite:
        """The tasks that are scored."""
        return self.benchmark.task_suite()

    @cached_property
    def records(self) -> dict[str, np.ndarray]:
        """What is known of the tasks, by its title: float64 (tasks,), NaN where a task has no such value."""
        return {
            _RECORD_TITLES.get(name, name): np.where(values < 0, np.nan, values)
            for name, values in self.suite.records.items()
        }

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        return gymnasium.spec(self.benchmark.environment_id).max_episode_steps

    @property
    def best_rows(self) -> list[Row]:
        """The rows that the index shows."""
        return [row for row in self.rows if row.rank is not None][:3]

    @property
    def drawn_rows(self) -> list[Row]:
        """The rows that figures show: the best ones, and oracles."""
        methods = [row for row in self.rows if row.rank is not None][:MAX_SERIES]
        return [row for row in self.rows if row.rank is None or row in methods]

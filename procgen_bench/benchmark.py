"""Benchmark: what is scored, on which tasks, under which protocol."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from procgen_bench.registration import environment_type
from procgen_bench.task_suite import TaskSuite

Metric = Literal["return", "success"]


@dataclass(frozen=True)
class Benchmark:
    """An environment, a task suite, a protocol and a metric.

    Attributes:
        id: ``"track/name"``, e.g. ``"grid-world/graded"``.
        version: Raised whenever a score could change; scores of different versions are never compared.
        environment_id: Registered id of the environment.
        suite: Name of the family's task suite that is scored.
        task_names: Names of the suite's tasks that are scored; ``None``: all of them.
        episodes_per_task: Episodes played of every task.
        interaction_budget: Environment steps that the training of one run may take.
        training_tasks: What may be trained on, in words.
        metric: ``"success"`` (share of episodes that solve their task) or ``"return"`` (mean undiscounted return).
        minimum: Score of an episode that is missing or unfinished.
        maximum: Best possible score of an episode; 1 - score / maximum is its optimality gap.
        tolerance: Greatest difference between claimed and replayed metric; 0 for exact environments.
        description: One sentence.
        physics: Whether floating-point physics decides an episode, which may come out otherwise on another kind of
            machine or under other versions. Submissions then hold hash chains over the observations. A replay that
            observes something else is unverifiable; one that observes the same bits leaves nothing to tolerate.
        replay_options: Arguments of the environment's constructor (plain JSON values) under which episodes are replayed
            and their chains made. They may change what is observed, never what happens.
    """

    id: str
    version: int
    environment_id: str
    suite: str
    task_names: tuple[str, ...] | None
    episodes_per_task: int
    interaction_budget: int
    training_tasks: str
    metric: Metric
    minimum: float
    maximum: float
    tolerance: float
    description: str
    physics: bool = False
    replay_options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def track(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    def task_suite(self) -> TaskSuite:
        """The tasks that are scored, in their fixed order (loads the environment's module)."""
        suite = environment_type(self.environment_id).task_space.suite(self.suite)
        if self.task_names is None:
            return suite
        chosen = [suite.task_names.index(name) for name in self.task_names]
        return TaskSuite(
            name=suite.name,
            tasks=tuple(suite.tasks[index] for index in chosen),
            task_names=self.task_names,
            records={name: values[chosen] for name, values in suite.records.items()},
        )

    @property
    def num_episodes(self) -> int:
        """Episodes of one run: tasks x episodes per task."""
        return len(self.task_suite()) * self.episodes_per_task


def find_benchmark(benchmark_id: str) -> Benchmark:
    """The benchmark of an id, from the leaderboards' table (loaded when asked for, not before).

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    return importlib.import_module("procgen_bench.leaderboards.benchmarks").get_benchmark(benchmark_id)

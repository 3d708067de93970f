"""How a benchmark's tasks are shared out: what so many training draws meet of the scored and of the fresh ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace

#: Training draws, and fresh draws beside them; fewer where a draw takes a simulator or a search.
DRAWS, FRESH_DRAWS = 12_000, 200
SLOW_DRAWS, SLOW_FRESH_DRAWS = 200, 40
#: Scored tasks that are compared; of longer suites every second, third or so on.
MOST_SCORED = 2_000
SLOW_TRACKS, SLOW = ("xland",), ("table-push/graded", "fetch-blocks/groups")


@dataclass(frozen=True)
class Met:
    """What training draws meet. Tasks are the same where they share a mark (:meth:`.TaskSpace.hold_out_marks`).

    Attributes:
        draws: How many tasks were drawn.
        different: How many different ones.
        scored: How many of the scored tasks are among them.
        fresh: How many of the fresh ones.
    """

    draws: int
    different: int
    scored: int
    fresh: int


@dataclass(frozen=True)
class TaskSets:
    """A benchmark's sets.

    Attributes:
        scored: Number of scored tasks that were compared.
        fresh: Number of fresh draws that were compared.
        plain: What is met without a curriculum.
        curriculum: What is met by what curricula begin from.
    """

    scored: int
    fresh: int
    plain: Met
    curriculum: Met


def measure_task_sets(benchmark: Benchmark, rng: np.random.Generator) -> TaskSets:
    """Draw tasks to train on, and fresh ones, and look which are the same."""
    is_slow = benchmark.track in SLOW_TRACKS or benchmark.id in SLOW
    count, fresh_count = (SLOW_DRAWS, SLOW_FRESH_DRAWS) if is_slow else (DRAWS, FRESH_DRAWS)
    space, levels = make_task_space(benchmark.environment_id), LevelSource(benchmark, solvable=True)
    suite = benchmark.task_suite().tasks
    scored = [space.hold_out_marks(suite[place]) for place in range(0, len(suite), 1 + len(suite) // MOST_SCORED)]
    fresh = [space.hold_out_marks(benchmark.draw(rng)) for _ in range(fresh_count)]
    return TaskSets(
        scored=len(scored),
        fresh=len(fresh),
        plain=_met(space, levels.draw_plain(rng, count), scored, fresh),
        curriculum=_met(space, levels.draw(rng, count), scored, fresh),
    )


def _met(
    space: TaskSpace, tasks: Sequence[Task], scored: Sequence[frozenset[str]], fresh: Sequence[frozenset[str]]
) -> Met:
    own = [space.hold_out_marks(task) for task in tasks]
    every = frozenset().union(*own)
    scored_met, fresh_met = (sum(not marks.isdisjoint(every) for marks in those) for those in (scored, fresh))
    return Met(draws=len(own), different=len(set(own)), scored=scored_met, fresh=fresh_met)

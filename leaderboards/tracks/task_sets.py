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
XLAND_DRAWS, XLAND_FRESH_DRAWS = 60, 10
SMALL_DRAWS, SMALL_FRESH_DRAWS = 300, 40
#: Scored tasks that are compared; of longer suites every second, third or so on.
MOST_SCORED = 2_000
_NUMBERS = {
    "table-push/graded": (SLOW_DRAWS, SLOW_FRESH_DRAWS),
    "fetch-blocks/groups": (SLOW_DRAWS, SLOW_FRESH_DRAWS),
    "xland/small": (SMALL_DRAWS, SMALL_FRESH_DRAWS),
    "xland/skills": (SMALL_DRAWS, SMALL_FRESH_DRAWS),
    **{f"xland/{name}": (XLAND_DRAWS, XLAND_FRESH_DRAWS) for name in ("test", "mini", "hand-authored")},
}


@dataclass(frozen=True)
class Met:
    """What training draws meet. A task is met where one of its marks (:meth:`.TaskSpace.hold_out_marks`) is.

    Attributes:
        draws: How many tasks were drawn.
        different: How many different ones.
        scored: How many of the scored tasks are met.
        scored_whole: How many of these with all of their marks.
        fresh: How many of the fresh tasks are met.
        fresh_whole: How many of these with all of their marks.
    """

    draws: int
    different: int
    scored: int
    scored_whole: int
    fresh: int
    fresh_whole: int


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
    count, fresh_count = _NUMBERS.get(benchmark.id, (DRAWS, FRESH_DRAWS))
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
    met = [
        (sum(not marks.isdisjoint(every) for marks in those), sum(marks <= every for marks in those))
        for those in (scored, fresh)
    ]
    return Met(len(own), len(set(own)), *met[0], *met[1])

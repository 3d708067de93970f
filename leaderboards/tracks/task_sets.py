"""How a benchmark's tasks are shared out: what so many training draws meet of the scored and of the fresh ones."""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmark import Benchmark
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
        scored_alike: How many of the scored tasks are met with all of their marks up to the space's symmetries.
        scored_at_first: Of how many of them the first observation is that of a draw.
        fresh, fresh_whole, fresh_alike, fresh_at_first: The same of the fresh tasks.
    """

    draws: int
    different: int
    scored: int
    scored_whole: int
    scored_alike: int
    scored_at_first: int
    fresh: int
    fresh_whole: int
    fresh_alike: int
    fresh_at_first: int


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


@dataclass(frozen=True)
class _Known:
    """Of some tasks, in their order: marks, marks up to symmetries, and what is observed first."""

    marks: list[frozenset[str]]
    alike: list[frozenset[str]]
    first: list[bytes]


def measure_task_sets(benchmark: Benchmark, rng: np.random.Generator) -> TaskSets:
    """Draw tasks to train on, and fresh ones, and look which are the same."""
    count, fresh_count = _NUMBERS.get(benchmark.id, (DRAWS, FRESH_DRAWS))
    levels, suite = LevelSource(benchmark, solvable=True), benchmark.task_suite().tasks
    with closing(gymnasium.make(benchmark.environment_id).unwrapped) as env:
        scored = _known(env, [suite[place] for place in range(0, len(suite), 1 + len(suite) // MOST_SCORED)])
        fresh = _known(env, [benchmark.draw(rng) for _ in range(fresh_count)])
        return TaskSets(
            scored=len(scored.marks),
            fresh=len(fresh.marks),
            plain=_met(_known(env, levels.draw_plain(rng, count)), scored, fresh),
            curriculum=_met(_known(env, levels.draw(rng, count)), scored, fresh),
        )


def _known(env: Any, tasks: Sequence[Task]) -> _Known:
    space: TaskSpace = env.task_space
    first = []
    for task in tasks:
        observation, _ = env.reset(seed=0, options={"task": task})
        first.append(hashlib.sha256(_bytes_of(observation)).digest())
    return _Known([space.hold_out_marks(task) for task in tasks], [space.symmetry_marks(task) for task in tasks], first)


def _bytes_of(observation: Any) -> bytes:
    if isinstance(observation, dict):
        return b"".join(_bytes_of(observation[name]) for name in sorted(observation))
    return np.ascontiguousarray(observation).tobytes()


def _met(drawn: _Known, scored: _Known, fresh: _Known) -> Met:
    every, alike = frozenset().union(*drawn.marks), frozenset().union(*drawn.alike)
    first, found = frozenset(drawn.first), dict[str, int]()
    for name, those in (("scored", scored), ("fresh", fresh)):
        found[name] = sum(not marks.isdisjoint(every) for marks in those.marks)
        found[f"{name}_whole"] = sum(marks <= every for marks in those.marks)
        found[f"{name}_alike"] = sum(marks <= alike for marks in those.alike)
        found[f"{name}_at_first"] = sum(one in first for one in those.first)
    return Met(draws=len(drawn.marks), different=len(set(drawn.marks)), **found)

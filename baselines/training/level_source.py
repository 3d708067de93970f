"""LevelSource: where a teacher's new levels come from, and which of them may be trained on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.benchmark import Benchmark, Levels
from procgen_bench.core.errors import UndrawnTasksError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import Parameters, TaskSpace

#: How many targets are drawn for one that is worth trying.
_TRIES = 20


class LevelSource:
    """New levels for a benchmark: drawn, mutated, or decoded from a vector; none that the benchmark holds out.

    Args:
        benchmark: What is trained for.
        solvable: Whether to give no task that a glance shows to be unsolvable: solvable ones only where the task space
            tells quickly; of TablePush those whose target is there; elsewhere all, since all can be solved, or telling
            takes a simulator.
        **options: Options of the task space in place of the benchmark's own.

    Attributes:
        task_space: The space of the benchmark's tasks.
    """

    def __init__(self, benchmark: Benchmark, solvable: bool, **options: Any):
        self.benchmark = benchmark
        self.task_space: TaskSpace = make_task_space(benchmark.environment_id, **{**benchmark.level_options, **options})
        self.solvable = solvable

    def draw(self, rng: np.random.Generator, count: int) -> list[Task]:
        """``count`` levels for a curriculum to begin from: uniform over the parameters, or like the benchmark's."""
        return list(self._drawn(self.benchmark.levels, rng, count))

    def draw_plain(self, rng: np.random.Generator, count: int) -> Sequence[Task]:
        """``count`` levels as the environment draws its own: what is trained on without a curriculum."""
        return self._drawn(self.benchmark.plain_levels, rng, count)

    def draw_target(self, rng: np.random.Generator) -> Task:
        """What is trained for: the benchmark's own task where it may be trained on, elsewhere one that is like it.

        A level to begin from where none such may be trained on (sites like those of the suites `varied` and `invented`
        are of held-out words or primitives), or none of so many that were drawn is worth trying.
        """
        for _ in range(_TRIES if self.benchmark.has_training_tasks else 0):
            task = self.benchmark.draw_training(rng)
            if self._is_worth_trying(task):
                return task
        return self.draw(rng, 1)[0]

    def check_targets(self, who: str) -> None:
        """Refuse beforehand, by name, who is to propose targets where there are none.

        Raises:
            UndrawnTasksError: Nothing draws tasks like the benchmark's.
        """
        benchmark = self.benchmark
        if not benchmark.has_fresh_tasks:
            raise UndrawnTasksError(
                f"{who} proposes tasks like those of {benchmark.id}, which cannot be drawn: give the descriptor of "
                f"its suite {benchmark.suite!r} a draw_like, or the benchmark fresh='seeds' where its own tasks may be "
                "trained on; or take another teacher, as uniform"
            )

    def admits(self, task: Task) -> bool:
        """Whether a level may be proposed: not held out, and maybe solvable where that is asked for."""
        return not self.benchmark.holds_out(task) and self._is_worth_trying(task)

    def mutate(self, task: Task, rng: np.random.Generator, edits: int) -> Task | None:
        """``task`` after so many of the task space's mutations; ``None`` when what comes out is not admitted."""
        for _ in range(edits):
            task = self.task_space.mutate(task, rng)
        return task if self.admits(task) else None

    def vectors(self, tasks: Sequence[Task]) -> np.ndarray:
        """The tasks as points of the task space's flat box, float64 (n, d)."""
        space = self.task_space
        return np.stack([space.flatten(space.encode(task)).astype(np.float64) for task in tasks])

    def from_vectors(self, vectors: np.ndarray) -> list[Task]:
        """The tasks of points, float64 (n, d), of the flat box, or near it: they are moved into it.

        Raises:
            InvalidTaskError: Some parameters are no task, where the family documents such parameters.
        """
        return [self.task_space.decode(parameters) for parameters in parameters_of(self.task_space.space, vectors)]

    def _drawn(self, like: Levels, rng: np.random.Generator, count: int) -> Sequence[Task]:
        """A :class:`.TaskBatch` where the task space draws one of which nothing is held out."""
        if like == "suite":
            return [self.benchmark.draw_training(rng) for _ in range(count)]
        levels: Sequence[Task] = ()
        while len(levels) < count:
            drawn = self._uniform(rng, count - len(levels))
            held_out = self.benchmark.held_out_among(drawn)
            if not levels and not held_out.any():
                levels = drawn
            else:
                levels = [*levels, *(task for task, forbidden in zip(drawn, held_out.tolist()) if not forbidden)]
        return levels

    def _uniform(self, rng: np.random.Generator, count: int) -> Sequence[Task]:
        """At most ``count`` tasks that are worth trying."""
        space = self.task_space
        if self.solvable and space.draws_solvable_quickly:
            return space.draw_solvable(rng, count)
        drawn = [space.decode(space.sample(rng)) for _ in range(count)]
        return [task for task in drawn if self._is_worth_trying(task)]

    def _is_worth_trying(self, task: Task) -> bool:
        return not self.solvable or self.task_space.may_be_solvable(task)


def parameters_of(space: spaces.Dict, vectors: np.ndarray) -> Iterator[Parameters]:
    """The parameters, of ``space``'s shapes and dtypes, at points, float64 (n, d), of the flat box, or near it.

    Numbers are clipped to their bounds, and rounded where they are whole; of a choice's entries the greatest decides.
    """
    columns, at = {}, 0
    for name, leaf in space.items():
        width = spaces.flatdim(leaf)
        columns[name] = _values(leaf, vectors[:, at : at + width])
        at += width
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _values(leaf: spaces.Space, entries: np.ndarray) -> np.ndarray:
    """(n, ...) of a leaf's flat entries (n, width)."""
    match leaf:
        case spaces.Discrete():
            return entries.argmax(axis=1).astype(leaf.dtype) + leaf.start
        case spaces.MultiDiscrete():
            choices = np.split(entries, leaf.nvec.ravel().cumsum()[:-1], axis=1)
            chosen = np.stack([choice.argmax(axis=1) for choice in choices], axis=1).astype(leaf.dtype)
            return chosen.reshape(-1, *leaf.shape) + leaf.start
        case spaces.Box():
            numbers = entries.reshape(-1, *leaf.shape).clip(leaf.low, leaf.high)
            return (numbers.round() if np.issubdtype(leaf.dtype, np.integer) else numbers).astype(leaf.dtype)
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")

"""What is recorded of the tasks that a run plays: their fingerprints, and the newest levels."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.atomic import write_text
from procgen_bench.core.task import Task
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_space import TaskSpace

#: Most tasks that are kept of one run: 4 MiB.
MAX_RECORDED_TASKS = 2**19
#: Newest tasks that wait to be sorted into the others.
_MAX_UNSORTED = 2**14


class TaskRecorder:
    """A set of tasks by their short fingerprints, in bounded memory.

    Of more than :data:`MAX_RECORDED_TASKS`, those with the smallest fingerprints are kept. A fingerprint says nothing
    of its task, so these are a fair sample, in which nothing is missing: of every task whose fingerprint is not above
    the greatest that is kept, it is known whether it was played.

    Goals that a learner thinks up afterwards (hindsight) are no tasks that were played.
    """

    def __init__(self):
        self._sorted = np.empty(0, np.uint64)
        self._unsorted: set[int] = set()

    def record(self, tasks: Sequence[Task]) -> None:
        """Add tasks; those that are there change nothing."""
        if isinstance(tasks, TaskBatch):
            self._unsorted.update(tasks.short_fingerprints())
        else:
            self._unsorted.update(task.short_fingerprint() for task in tasks)
        if len(self._unsorted) >= _MAX_UNSORTED:
            self._sort()

    def fingerprints(self) -> np.ndarray:
        """uint64 (tasks,), rising, at most :data:`MAX_RECORDED_TASKS`."""
        self._sort()
        return self._sorted.copy()

    def arrays(self) -> dict[str, np.ndarray]:
        """``fingerprints``, uint64 (n,), sorted, from which :meth:`restore` continues."""
        return {"fingerprints": self.fingerprints()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from ``fingerprints``, uint64 (n,), of :meth:`arrays`; what was recorded before is forgotten."""
        self._sorted, self._unsorted = arrays["fingerprints"].astype(np.uint64), set()

    def _sort(self) -> None:
        newest = np.fromiter(self._unsorted, np.uint64, len(self._unsorted))
        self._sorted = np.union1d(self._sorted, newest)[:MAX_RECORDED_TASKS].copy()
        self._unsorted.clear()


LEVELS_FILE = "levels.jsonl"
#: Levels that are kept at an evaluation, and over which the mean length of their solutions is taken.
_KEPT, NEWEST = 8, 64


@dataclass(frozen=True)
class ProposedLevel:
    """One level that was proposed.

    Attributes:
        step: Environment steps of the evaluation after which, at the latest, the student played it.
        task: In words and numbers, as :meth:`.TaskSpace.resolve` takes it.
        solution_length: Steps of its solution, 0 of one that has none; ``None`` where telling takes long.
    """

    step: int
    task: str | dict[str, Any]
    solution_length: int | None


class ProposedLevels:
    """Writes ``levels.jsonl``: the newest levels at each evaluation, a line each.

    Args:
        folder: The run's.
        task_space: The levels' own.
        targets: The benchmark's own tasks, which are proposed beside the teacher's levels and are none of them.
    """

    def __init__(self, folder: Path, task_space: TaskSpace, targets: Collection[Task] = ()):
        self._folder, self._task_space, self._targets = folder, task_space, frozenset(targets)

    def add(self, step: int, tasks: Sequence[Task]) -> dict[str, float]:
        """Note the newest levels that were proposed for learning from; of later steps, nothing stays.

        So a run that continues from a checkpoint writes again what it wrote before it was killed.

        Returns:
            Of the levels that are no targets: ``taught_solution_length``, the mean over those that can be solved,
            where lengths are quickly found; NaN where there are none. And what the family tells (``shares``).
        """
        found = self._task_space.searches_quickly
        lengths = [self._task_space.solution_length(task) if found else None for task in tasks]
        newest = [
            ProposedLevel(step, self._task_space.plain(task), length)
            for task, length in list(zip(tasks, lengths, strict=True))[-_KEPT:]
        ]
        every = [level for level in read_proposed_levels(self._folder) if level.step < step] + newest
        write_text(self._folder / LEVELS_FILE, "".join(json.dumps(asdict(level)) + "\n" for level in every))
        own = [(task, length) for task, length in zip(tasks, lengths) if task not in self._targets]
        shares = self._task_space.shares([task for task, _ in own], self._targets)
        measures = {f"teacher_{name}": share for name, share in shares.items()}
        if found:
            solved = [length for _, length in own if length]
            measures["taught_solution_length"] = float(np.mean(solved)) if solved else float("nan")
        return measures


def read_proposed_levels(folder: Path) -> list[ProposedLevel]:
    """The levels that a run's teacher proposed, the oldest first; none where none are kept."""
    path = folder / LEVELS_FILE
    if not path.exists():
        return []
    return [ProposedLevel(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]

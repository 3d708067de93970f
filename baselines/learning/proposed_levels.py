"""What a teacher proposes over time, kept so that a person can look at it (``procgen-bench plot RUN --levels``)."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.atomic import write_text
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace

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

        So a run that goes on from a checkpoint writes again what it wrote before it was killed.

        Returns:
            ``teacher_solution_length``, the mean over the levels that can be solved and are no targets, where lengths
            are quickly found; NaN where there are none.
        """
        told = self._task_space.searches_quickly
        lengths = [self._task_space.solution_length(task) if told else None for task in tasks]
        newest = [
            ProposedLevel(step, self._task_space.plain(task), length)
            for task, length in list(zip(tasks, lengths, strict=True))[-_KEPT:]
        ]
        every = [level for level in read_proposed_levels(self._folder) if level.step < step] + newest
        write_text(self._folder / LEVELS_FILE, "".join(json.dumps(asdict(level)) + "\n" for level in every))
        if not told:
            return {}
        solved = [length for task, length in zip(tasks, lengths) if length and task not in self._targets]
        return {"teacher_solution_length": float(np.mean(solved)) if solved else float("nan")}


def read_proposed_levels(folder: Path) -> list[ProposedLevel]:
    """The levels that a run's teacher proposed, the oldest first; none where none are kept."""
    path = folder / LEVELS_FILE
    if not path.exists():
        return []
    return [ProposedLevel(**json.loads(line)) for line in path.read_text().splitlines()]

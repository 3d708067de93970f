"""Levels that a teacher keeps: as arrays in its state, and in flight between their proposal and their end."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.training.teacher import TeacherArrays
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace


def level_arrays(space: TaskSpace, tasks: Sequence[Task], prefix: str) -> TeacherArrays:
    """The tasks' parameters, stacked: an array (n, ...) ``"prefix.name"`` for every parameter."""
    encoded = [space.encode(task) for task in tasks]
    return {
        f"{prefix}.{name}": np.array([parameters[name] for parameters in encoded], leaf.dtype).reshape(
            (len(encoded), *(leaf.shape or ()))
        )
        for name, leaf in space.space.items()
    }


def levels_of(space: TaskSpace, arrays: TeacherArrays, prefix: str) -> list[Task]:
    """The tasks of what :func:`level_arrays` returned."""
    columns = {name: arrays[f"{prefix}.{name}"] for name in space.space}
    count = len(next(iter(columns.values())))
    return [space.decode({name: column[i] for name, column in columns.items()}) for i in range(count)]


class LevelsInFlight:
    """Levels that were proposed once and are being played: forgotten once they have ended.

    Episodes that never end (a run that stops short) do not pile up: past ``limit`` the oldest are forgotten.

    Args:
        limit: Levels in flight at most.
    """

    def __init__(self, limit: int = 16_384):
        self._limit = limit
        self._tasks: dict[int, Task] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def add(self, number: int, task: Task) -> None:
        """The level ``number`` takes off."""
        if len(self._tasks) == self._limit:
            del self._tasks[next(iter(self._tasks))]
        self._tasks[number] = task

    def task(self, number: int) -> Task | None:
        """The task of the level ``number``; ``None``: it is none of these."""
        return self._tasks.get(number)

    def land(self, number: int) -> Task | None:
        """The level ``number``, which is now forgotten; ``None``: it is none of these."""
        return self._tasks.pop(number, None)

    def state(self, space: TaskSpace) -> TeacherArrays:
        """Arrays from which :meth:`restore` goes on."""
        numbers = np.array(list(self._tasks), np.int64)
        return {"flying": numbers} | level_arrays(space, list(self._tasks.values()), "flying")

    def restore(self, space: TaskSpace, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._tasks = dict(zip(arrays["flying"].tolist(), levels_of(space, arrays, "flying"), strict=True))

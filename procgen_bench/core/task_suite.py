"""TaskSuite: a fixed, named list of tasks with what is known of each (its shortest solution, say)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, overload

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.task import TaskT

#: Built tasks that are kept: all of a large suite would, among the simulations that come and go, hold memory apart that
#: is free and cannot be given back.
KEPT_TASKS = 64


class TasksOnDemand(Sequence[TaskT]):
    """Tasks that are built when they are asked for, so that a large suite loads at once; the last of them are kept."""

    def __init__(self, count: int, build: Callable[[int], TaskT]):
        """``build`` makes the task of a place, 0 to ``count - 1``."""
        self._count, self._build = count, build
        self._built: dict[int, TaskT] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> TaskT: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[TaskT, ...]: ...

    def __getitem__(self, place: int | slice) -> TaskT | tuple[TaskT, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(self._count)))
        place = range(self._count)[place]
        if place not in self._built:
            if len(self._built) == KEPT_TASKS:
                del self._built[next(iter(self._built))]
            self._built[place] = self._build(place)
        return self._built[place]


@dataclass(frozen=True)
class TaskSuite(Generic[TaskT]):
    """A fixed list of tasks.

    Attributes:
        name: Name of the suite within its family, e.g. ``"graded"``.
        tasks: The tasks, in their published order; a tuple, or :class:`TasksOnDemand`.
        task_names: One name per task, unique within the suite, e.g. ``"A"`` or ``"17"``.
        records: What is known of the tasks: name of the record -> array (tasks, ...) of numbers,
            negative where the task has none (an unsolvable task has no shortest length).
    """

    name: str
    tasks: Sequence[TaskT]
    task_names: tuple[str, ...]
    records: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[TaskT]:
        return iter(self.tasks)

    def __getitem__(self, task_name: str) -> TaskT:
        if task_name not in self.task_names:
            raise UnknownNameError(f"task in suite {self.name!r}", task_name, list(self.task_names))
        return self.tasks[self.task_names.index(task_name)]


def numbered(count: int) -> tuple[str, ...]:
    """The names of tasks that have none but their places: ``"0"``, ``"1"``, ..."""
    return tuple(map(str, range(count)))

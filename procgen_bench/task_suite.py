"""TaskSuite: a fixed, named list of tasks with what is known of each (its shortest solution, say)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from procgen_bench.errors import UnknownNameError
from procgen_bench.task import Task


@dataclass(frozen=True)
class TaskSuite:
    """A fixed list of tasks.

    Attributes:
        name: Name of the suite within its family, e.g. ``"graded"``.
        tasks: The tasks, in their published order.
        task_names: One name per task, unique within the suite, e.g. ``"A"`` or ``"17"``.
        records: What is known of the tasks: name of the record -> array with one entry per task,
            negative where the task has none (an unsolvable task has no shortest length).
    """

    name: str
    tasks: tuple[Task, ...]
    task_names: tuple[str, ...]
    records: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, task_name: str) -> Task:
        if task_name not in self.task_names:
            raise UnknownNameError(f"task in suite {self.name!r}", task_name, list(self.task_names))
        return self.tasks[self.task_names.index(task_name)]

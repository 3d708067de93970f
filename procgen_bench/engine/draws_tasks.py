"""DrawsTasks: an environment whose resets without a task draw from its argument ``tasks``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Generic

import numpy as np

from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from procgen_bench.core.task import TaskT
from procgen_bench.core.task_files import is_task_file, read_tasks
from procgen_bench.core.task_space import TaskSpace

#: Values of the argument ``tasks``: what leaves out unsolvable tasks, and what leaves out scored and fresh ones, too.
SOLVABLE, TRAINING = "solvable", "training"


class DrawsTasks(Generic[TaskT]):
    """Part of an environment with a ``task_space``: what the argument ``tasks`` means."""

    task_space: TaskSpace[TaskT]
    #: Whether all tasks of the family's own distribution can be solved, by the rules by which they are drawn.
    draws_solvable: ClassVar[bool] = False

    _tasks: tuple[TaskT, ...] | None = None
    _trains = False

    def tasks_to_draw(self, tasks: Any) -> tuple[TaskT, ...] | None:
        """What the argument ``tasks`` has resets draw from; ``None``: the family's own distribution.

        Raises:
            TaskFileError: ``tasks`` is a file's name, ``NAME.json``, and the file holds none.
            InvalidTaskError, UnknownNameError: ``tasks`` are none; the words that they may be are listed, too.
            InvalidOptionError: They are ``"solvable"``, and it is not known of all that are drawn whether they are.
        """
        if tasks is None or asks_for(TRAINING, tasks) or (asks_for(SOLVABLE, tasks) and self.draws_solvable):
            return None
        if asks_for(SOLVABLE, tasks):
            raise InvalidOptionError(
                f"tasks is {SOLVABLE!r}, but nothing quickly decides which tasks of {type(self).__name__} can be "
                "solved; give a suite of solvable ones, or a list of tasks; suites: "
                + (", ".join(self.task_space.suite_names) or "none")
            )
        if isinstance(tasks, str) and is_task_file(tasks):
            return read_tasks(self.task_space, Path(tasks))
        try:
            return self.task_space.resolve_many(tasks)
        except UnknownNameError as error:
            if error.kind != "task" or not isinstance(tasks, str):
                raise
            solvable = self.draws_solvable or self.task_space.draws_solvable_quickly
            known = [TRAINING, *([SOLVABLE] if solvable else []), *self.task_space.suite_names, *error.known]
            raise UnknownNameError("task", tasks, known, shown=len(known)) from None

    def _draw_from(self, tasks: Any) -> None:
        """Have :meth:`_drawn_task` draw as the argument ``tasks`` says; raises as :meth:`tasks_to_draw`."""
        self._tasks, self._trains = self.tasks_to_draw(tasks), asks_for(TRAINING, tasks)

    def _drawn_task(self, rng: np.random.Generator, sample: Callable[[np.random.Generator], TaskT]) -> TaskT:
        """One of the argument ``tasks``, or what ``sample`` draws of the family's own distribution."""
        if self._tasks is not None:
            return self._tasks[rng.integers(len(self._tasks))]
        space = self.task_space
        while True:
            task = sample(rng)
            if not self._trains or (space.may_be_solvable(task) and space.may_be_trained_on(task)):
                return task


def asks_for(word: str, tasks: object) -> bool:
    """Whether the argument ``tasks`` is this word."""
    return isinstance(tasks, str) and tasks == word

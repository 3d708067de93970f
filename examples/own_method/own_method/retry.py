"""A teacher in one file: levels that the student fails are proposed again, until it solves them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.teacher_table import TeacherEntry
from procgen_bench.core.task import Task


@dataclass(frozen=True)
class RetryConfiguration:
    """The options of ``--teacher-options``, e.g. ``share=0.7,most=50``."""

    share: float = option(0.5, "Share of the proposals that are failed levels, while there are some.", SHARE)
    most: int = option(200, "Failed levels that are remembered; the oldest are forgotten.", COUNT)


class RetryTeacher(Teacher):
    """Draws new levels from ``self.levels``, everything random from ``self.rng``, and keeps both in ``state()``."""

    configuration: RetryConfiguration

    def __init__(self, levels, rng: np.random.Generator, configuration: RetryConfiguration):
        super().__init__(levels, rng, configuration)
        #: Tasks of the levels that are being played, and of those that were failed, by number.
        self._tasks: dict[int, Task] = {}
        #: Numbers of those that were failed, the oldest first.
        self._failed: list[int] = []

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A failed level or a new one for each row."""
        return [self._failed_level() if self._is_retry() else self._new_level() for _ in rows]

    def observe(self, played: FinishedEpisodes) -> None:
        """Remember what was failed, and forget what was solved."""
        for level, success in zip(played.level.tolist(), played.success.tolist(), strict=True):
            if success:
                del self._tasks[level]
            else:
                self._failed.append(level)
        while len(self._failed) > self.configuration.most:
            del self._tasks[self._failed.pop(0)]

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain JSON values. JSON has no numbers as keys, so the tasks are a list of pairs."""
        arrays, values = super().state()
        tasks = [[level, self.levels.task_space.plain(task)] for level, task in self._tasks.items()]
        return arrays | {"failed": np.array(self._failed, np.int64)}, values | {"tasks": tasks}

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Take all of it back."""
        super().restore(arrays, values)
        self._failed = arrays["failed"].tolist()
        self._tasks = {level: self.levels.task_space.resolve(task) for level, task in values["tasks"]}

    def _is_retry(self) -> bool:
        return bool(self._failed) and self.rng.random() < self.configuration.share

    def _failed_level(self) -> Proposal:
        level = self._failed.pop(int(self.rng.integers(len(self._failed))))
        return Proposal(level, self._tasks[level])

    def _new_level(self) -> Proposal:
        (task,) = self.levels.draw(self.rng, 1)
        level = self.next_number()
        self._tasks[level] = task
        return Proposal(level, task)


TEACHER = TeacherEntry(
    name="own-retry",
    description="Levels that were failed, again and again, beside new ones.",
    teacher="own_method.retry:RetryTeacher",
    configuration="own_method.retry:RetryConfiguration",
)

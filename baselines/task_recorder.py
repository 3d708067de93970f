"""TaskRecorder: which tasks a learner has played, kept while it trains."""

from collections.abc import Iterable

import numpy as np

from procgen_bench.core.task import Task

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

    def record(self, tasks: Iterable[Task]) -> None:
        """Add tasks; those that are there change nothing."""
        self._unsorted.update(task.short_fingerprint() for task in tasks)
        if len(self._unsorted) >= _MAX_UNSORTED:
            self._sort()

    def fingerprints(self) -> np.ndarray:
        """uint64 (tasks,), rising, at most :data:`MAX_RECORDED_TASKS`."""
        self._sort()
        return self._sorted.copy()

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays from which :meth:`restore` continues."""
        return {"fingerprints": self.fingerprints()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from what :meth:`arrays` returned; what was recorded before is forgotten."""
        self._sorted, self._unsorted = arrays["fingerprints"].astype(np.uint64), set()

    def _sort(self) -> None:
        newest = np.fromiter(self._unsorted, np.uint64, len(self._unsorted))
        self._sorted = np.union1d(self._sorted, newest)[:MAX_RECORDED_TASKS].copy()
        self._unsorted.clear()

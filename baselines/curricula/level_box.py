"""LevelBox: levels as points of [-1, 1]^d, for teachers that fit densities to them."""

from collections.abc import Callable

import numpy as np

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import TeacherArrays
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

_NUM_DRAWS = 200
#: A dimension of whose bounds drawn levels fill this share keeps its bounds.
_NEARLY_ALL = 0.9
#: Rounds of points that are tried for levels that may be proposed.
_ROUNDS = 4


class LevelBox:
    """The flat box of a task space's parameters, each dimension scaled to the range that levels fill.

    Tasks are encoded before they become points, and that may fill a small part of the box: GridWorld's logits lie in
    [-10, 10], and those of encoded tasks are 0 and 1.

    Args:
        levels: Whose levels.
        rng: Draws the levels whose ranges are taken.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator):
        self.levels = levels
        space = levels.task_space
        lowest, highest = (bound.astype(np.float64) for bound in (space.flat_space.low, space.flat_space.high))
        # Solvable or not: they fill the same ranges.
        vectors = levels.vectors([space.decode(space.sample(rng)) for _ in range(_NUM_DRAWS)])
        low, high = vectors.min(0), vectors.max(0)
        whole = (low == high) | (high - low > _NEARLY_ALL * (highest - lowest))
        self._low, self._high = np.where(whole, lowest, low), np.where(whole, highest, high)
        self._asked = self._missing = 0

    @property
    def num_dimensions(self) -> int:
        """d."""
        return len(self._low)

    def points(self, tasks: list[Task]) -> np.ndarray:
        """The tasks as points, float64 (n, d)."""
        return (self.levels.vectors(tasks) - self._low) / (self._high - self._low) * 2 - 1

    def tasks(self, points: np.ndarray) -> list[Task]:
        """The tasks of those of the points (n, d), clipped to the box, whose tasks may be proposed, in their order."""
        vectors = self._low + (np.clip(points, -1, 1) + 1) / 2 * (self._high - self._low)
        return [task for task in self._decoded(vectors) if self.levels.admits(task)]

    def tasks_from(self, draw: Callable[[int], np.ndarray], count: int) -> list[Task]:
        """Up to ``count`` tasks that may be proposed, from a few rounds of ``draw(n)``, points (n, d)."""
        tasks: list[Task] = []
        for _ in range(_ROUNDS):
            if len(tasks) < count:
                tasks += self.tasks(draw(count - len(tasks)))
        self._asked += count
        self._missing += count - len(tasks)
        return tasks

    def take_missing_share(self) -> dict[str, float]:
        """``uniform_share`` of what :meth:`tasks_from` was asked for since: what it did not find, others stand in for.

        Nothing, where it was not asked.
        """
        shares = {"uniform_share": self._missing / self._asked} if self._asked else {}
        self._asked = self._missing = 0
        return shares

    def state(self) -> TeacherArrays:
        """Arrays from which :meth:`restore` goes on."""
        counts = np.array([self._asked, self._missing])
        return {"box.low": self._low, "box.high": self._high, "box.counts": counts}

    def restore(self, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._low, self._high = arrays["box.low"], arrays["box.high"]
        self._asked, self._missing = arrays["box.counts"].tolist()

    def _decoded(self, vectors: np.ndarray) -> list[Task]:
        try:
            return self.levels.from_vectors(vectors)
        except InvalidTaskError:  # parameters of no task, such as a site without elements
            if len(vectors) == 1:
                return []
            return [task for vector in vectors for task in self._decoded(vector[None])]

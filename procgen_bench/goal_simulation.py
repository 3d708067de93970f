"""GoalSimulation: a native simulation whose tasks are a start and a goal."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from procgen_bench.simulation import NativeSimulation
from procgen_bench.task import Task


class GoalSimulation(NativeSimulation):
    """N games that are each a start and a goal. A family adds its rules, and what else its tasks have.

    Attributes:
        task_type: The tasks, made of a start and a goal.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
        starts, goals: (N, ...), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: See above.
        starts, goals: The arrays that are to hold the rows' starts and goals.
        **keywords: Those of the class that a family mixes this one with.
    """

    task_type: ClassVar[type[Task]]

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        distance_step: int,
        starts: np.ndarray,
        goals: np.ndarray,
        **keywords,
    ):
        super().__init__(num_rows, max_episode_steps, **keywords)
        self.distance_step = distance_step
        self.starts, self.goals = starts, goals
        self.use_tasks(())

    def use_tasks(self, tasks: Sequence[Task]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: from the family's own distribution."""
        self._bank_starts = _stacked([task.start for task in tasks], self.starts)
        self._bank_goals = _stacked([task.goal for task in tasks], self.goals)

    def load(self, row: int, task: Task) -> None:
        """Put ``task`` into ``row``."""
        self.starts[row], self.goals[row] = task.start, task.goal

    def task(self, row: int) -> Task:
        """The task in ``row``."""
        return self.task_type(self.starts[row], self.goals[row])

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        return super().state_arrays() | {"starts": self.starts, "goals": self.goals}


def _stacked(values: Sequence[np.ndarray], like: np.ndarray) -> np.ndarray:
    """``values`` as an array (K, ...) of the type and the row shape of ``like``."""
    return np.array(values, like.dtype).reshape(-1, *like.shape[1:])

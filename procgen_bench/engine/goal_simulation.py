"""GoalSimulation: a native simulation whose tasks are a start and a goal."""

from procgen_bench.core.task import TaskT
from procgen_bench.engine.simulation import NativeSimulation


class GoalSimulation(NativeSimulation[TaskT]):
    """N games that are each a start and a goal. A family adds its rules, and what else its tasks have.

    The last two of ``task_arrays`` are ``start`` and ``goal``.

    Attributes:
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
        starts, goals: (N, ...), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: See above.
        **keywords: Those of the class that a family mixes this one with.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int, **keywords):
        super().__init__(num_rows, max_episode_steps, **keywords)
        self.distance_step = distance_step
        *_, self.starts, self.goals = self.task_rows

    def pursue(self, row: int, task: TaskT) -> None:
        """Continue in ``row`` under another goal; the start is no longer looked at."""
        self.load(row, task)
        self.observations["desired_goal"][row] = self.goals[row]
        self.rewards[row] = 0.0
        self.terminations[row] = self.truncations[row] = self.successes[row] = False

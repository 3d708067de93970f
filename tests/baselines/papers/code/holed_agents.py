"""Agents that play sites as the scripted solver does, but for a hole that is planted in them."""

from collections.abc import Callable

from procgen_bench.baselines.policies.scripted.policies import SolverPolicy
from procgen_bench.core.task import Task


class HoledPolicy(SolverPolicy):
    """Solves all sites but those in the hole, which it submits as they are.

    Args:
        hole: Whether a task is in the hole.
    """

    def __init__(self, hole: Callable[[Task], bool]):
        super().__init__("GMiniWoB-v0")
        self._hole = hole

    def begin(self, row: int, task: Task, seed: int) -> None:
        """Nothing is filled in where the task is in the hole."""
        super().begin(row, task, seed)
        if self._hole(task):
            self._plans[row] = []


class SometimesHoledPolicy(HoledPolicy):
    """Fails in the hole, and by chance, decided by the episode's seed, in a share of all other episodes, too."""

    def begin(self, row: int, task: Task, seed: int) -> None:
        """See the class."""
        super().begin(row, task, seed)
        if seed % 5 == 0:
            self._plans[row] = []


class NoCaptcha(HoledPolicy):
    """Cannot fill in the captcha."""

    def __init__(self, environment_id: str):
        super().__init__(lambda task: "captcha" in task.design.fields)

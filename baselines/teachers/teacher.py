"""Teacher: the contract of every curriculum method."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from procgen_bench.baselines.episode import Episode
from procgen_bench.core.task_space import Parameters


class Teacher(ABC):
    """Proposes parameters of a task space, and hears how the student fared on each."""

    @abstractmethod
    def propose(self, count: int) -> list[Parameters]:
        """Parameters of the next ``count`` tasks."""

    @abstractmethod
    def observe(self, parameters: Sequence[Parameters], episodes: Sequence[Episode]) -> None:
        """Episodes that the student finished, with the parameters that they were played on."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What decides the teacher's future, as plain values (for checkpoints)."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`state` returned."""

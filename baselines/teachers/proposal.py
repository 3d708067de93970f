"""What teachers and students say to each other: levels to play, and how they were played."""

from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Protocol, Self

import numpy as np

from procgen_bench.core.task import Task


@dataclass(frozen=True)
class Proposal:
    """One level to be played by one row; the same level may be proposed again.

    Attributes:
        level: Its number, unique for the teacher.
        task: Its task.
        seed: Seed of the episode; ``None``: the row's chance goes on.
        train: Whether the student learns from the episode; ``False``: it is played without a gradient (probes).
        player: Who plays: ``"student"``, ``"control"``, ``"student/3"`` of a population, ``"antagonist"``.
        seats: Names of the co-players.
    """

    level: int
    task: Task
    seed: int | None = None
    train: bool = True
    player: str = "student"
    seats: tuple[str, ...] = ()


@dataclass(frozen=True)
class EpisodeSteps:
    """What happened in one episode of L actions.

    Attributes:
        observations: By name (L + 1, ...), the first, and what was seen after each action.
        actions: (L, ...), of the action space's type.
        rewards: float32 (L,).
    """

    observations: dict[str, np.ndarray]
    actions: np.ndarray
    rewards: np.ndarray

    def __len__(self) -> int:
        return len(self.rewards)


#: Columns of :class:`Played` that only a critic can tell; a teacher that wants any is told all.
CRITICISM = frozenset({"start_value", "mean_value", "value_loss"})


@dataclass(frozen=True)
class Played:
    """N finished episodes as columns, in the order in which they ended.

    Attributes:
        level: int64 (N,), the proposals' numbers.
        train: bool (N,), whether the student learned from it.
        return_: float64 (N,), undiscounted sums of rewards.
        success: bool (N,), whether the task was solved.
        length: int64 (N,), steps.
        start_value: float32 (N,), the critic's value of the first observation; NaN where the student has no critic or
            the teacher wants no ``CRITICISM``.
        mean_value: float32 (N,), the mean of the critic's values over the episode's steps; NaN likewise.
        value_loss: float32 (N,), the mean over the episode's steps of the positive part of the generalised advantages;
            NaN likewise.
        steps: What happened in each, N of them; ``None``: the teacher does not want to know, or it is a probe.
    """

    level: np.ndarray
    train: np.ndarray
    return_: np.ndarray
    success: np.ndarray
    length: np.ndarray
    start_value: np.ndarray
    mean_value: np.ndarray
    value_loss: np.ndarray
    steps: tuple[EpisodeSteps, ...] | None = None

    def __len__(self) -> int:
        return len(self.level)

    def of(self, chosen: np.ndarray) -> Self:
        """The episodes at ``chosen`` (indices or bool (N,))."""
        columns = {name: getattr(self, name)[chosen] for name in self._columns()}
        steps = None if self.steps is None else tuple(self.steps[place] for place in np.arange(len(self))[chosen])
        return type(self)(**columns, steps=steps)

    @classmethod
    def joined(cls, parts: "list[Played]") -> "Played":
        """Several as one, in their order; what happened in them is known where it is of all."""
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls._columns()}
        steps = [part.steps for part in parts if part.steps is not None]
        known = len(steps) == len(parts)
        return cls(**columns, steps=tuple(chain.from_iterable(steps)) if known else None)

    @classmethod
    def _columns(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name != "steps"]


class Student(Protocol):
    """The student as its teacher sees it between updates."""

    #: Environment steps taken so far, those of :meth:`evaluate` among them.
    steps_used: int

    def evaluate(self, tasks: list[Task], episodes: int) -> Played:
        """Play every task so many times, without learning; the steps are charged to the training's budget.

        Returns:
            One row per episode, task by task; ``level`` is the task's place in the list. The last ones are missing
            where the budget does not suffice.
        """

    def values(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """The critic's values float32 (N,) of observations (N, ...)."""


TeacherArrays = dict[str, np.ndarray]
TeacherValues = dict[str, Any]

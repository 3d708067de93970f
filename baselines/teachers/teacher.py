"""Teacher: the contract of every curriculum method."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.teachers.level_source import LevelSource
from procgen_bench.baselines.teachers.proposal import Played, Proposal, Student, TeacherArrays, TeacherValues


@dataclass(frozen=True)
class NoSettings:
    """There is nothing to set."""


class Teacher(ABC):
    """Proposes levels to the rows of a student, and hears how it fared on each.

    All of a teacher's chance comes from ``rng``; what it remembers is in :meth:`state`, so that a run goes on exactly.

    Args:
        levels: Where new levels come from.
        rng: The teacher's randomness.
        configuration: The teacher's settings, of its configuration dataclass.
    """

    #: What it is told of episodes beyond what every teacher is: columns of :class:`.Played` that take time to find, of
    #: ``"start_value"``, ``"mean_value"``, ``"value_loss"`` and ``"steps"``.
    wants: frozenset[str] = frozenset()
    #: The configuration dataclass, all of whose fields have defaults, of a teacher that is named ``module:Class``.
    configuration_type: ClassVar[type] = NoSettings

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        self.levels, self.rng, self.configuration = levels, rng, configuration
        self._numbered = 0

    def meet(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:  # noqa: B027 - as observe
        """Called once, before all else: what a row of the student observes, and what it does."""

    @abstractmethod
    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A level for each of these rows (their indices), which begin an episode after ``step`` environment steps."""

    def observe(self, played: Played) -> None:  # noqa: B027 - a teacher may learn nothing from its student
        """Episodes that ended, those that were not trained on among them."""

    def learn(self, student: Student) -> dict[str, float]:
        """Called after every update of the student: probe it, or improve the teacher.

        Returns:
            Measures to be kept beside the learning curve.
        """
        return {}

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """Arrays and plain values from which :meth:`restore` goes on exactly; subclasses add theirs."""
        return {}, {"rng": self.rng.bit_generator.state, "numbered": self._numbered}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        self.rng.bit_generator.state = values["rng"]
        self._numbered = values["numbered"]

    def next_number(self) -> int:
        """A number that no level of this teacher has had."""
        self._numbered += 1
        return self._numbered - 1

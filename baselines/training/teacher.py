"""What a teacher is to a run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import STUDENT

#: See :attr:`Teacher.step_score`.
StepScore = Callable[..., np.ndarray]
TeacherArrays = dict[str, np.ndarray]


TeacherValues = dict[str, Any]


@dataclass(frozen=True)
class NoSettings:
    """There is nothing to set."""


class Teacher(ABC):
    """Proposes levels to the rows of a student, and observes how the student does on each.

    All of a teacher's randomness comes from ``rng``; what it remembers is in :meth:`state`, so that a run continues
    exactly.

    Args:
        levels: Where new levels come from.
        rng: The teacher's randomness.
        configuration: The teacher's settings, of its configuration dataclass.
    """

    #: Columns of :class:`.FinishedEpisodes` that take time to find and that it requires all the same, of
    #: ``"start_value"``, ``"mean_value"``, ``"value_loss"``, ``"steps"`` and, beside one of a critic,
    #: ``"gradient_norm"``.
    required_columns: frozenset[str] = frozenset()
    #: Scores float32 (T, N) of steps by their advantages float32 (T, N), ends bool (T, N), discount and decay; their
    #: means are the column ``"step_score"``. ``None``: it scores none.
    step_score: StepScore | None = None
    #: The configuration dataclass, all of whose fields have defaults, of a teacher that is named ``module:Class``.
    configuration_type: ClassVar[type] = NoSettings
    #: The players that it proposes levels to; a run that lacks one of them is refused before it begins.
    players: tuple[str, ...] = (STUDENT,)
    #: Whether it observes all seats' episodes, each with its own goal; else the first's, by which a level is scored.
    observes_all_seats: bool = False
    #: Numbers that may change while a run goes on; a teacher that has any keeps them in its state as ``"rates"``.
    rates: Mapping[str, float] = MappingProxyType({})

    #: Keyword arguments of the rows' environment, of whose kind saved states have to be; set before :meth:`setup`.
    row_options: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        self.levels, self.rng, self.configuration = levels, rng, configuration
        self._numbered = 0

    @property
    def unwrapped(self) -> "Teacher":
        """The teacher itself, without what proposes further levels beside its own."""
        return self

    def setup(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:  # noqa: B027 - as observe
        """Called once, before all else: what a row of the student observes, and what it does."""

    @abstractmethod
    def propose(self, rows: np.ndarray, step: int) -> Sequence[Proposal]:
        """A level for each of ``rows`` (indices, int64 (n,)), to begin after ``step`` environment steps."""

    def observe(self, played: FinishedEpisodes) -> None:  # noqa: B027 - a teacher may learn nothing from its student
        """Episodes that ended, those that were not trained on among them; see :attr:`observes_all_seats`."""

    def learn(self, student: Student) -> dict[str, float]:
        """Called after every update of the student: probe it, or improve the teacher.

        Returns:
            Measures to be kept beside the learning curve.
        """
        return {}

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """Arrays and plain values from which :meth:`restore` continues exactly; subclasses add their own."""
        return {}, {"rng": self.rng.bit_generator.state, "numbered": self._numbered}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        self.rng.bit_generator.state = values["rng"]
        self._numbered = values["numbered"]

    def next_number(self) -> int:
        """A number that no level of this teacher has had."""
        return self.next_numbers(1)

    def next_numbers(self, count: int) -> int:
        """The first of so many numbers in a row that no level of this teacher has had."""
        self._numbered += count
        return self._numbered - count

"""What trainers, learners and teachers are to each other."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.errors import ProcgenBenchError, UnknownNameError
from procgen_bench.core.task import Task
from procgen_bench.engine.saved_state import SavedState

if TYPE_CHECKING:  # teachers, and what is refused, need no networks
    import torch

    from procgen_bench.baselines.policies.tensors import Tensors

#: The player of a run that has no other.
STUDENT = "student"
#: Whom every student's teacher may ask to play levels beside it: acts at random, and learns nothing.
CONTROL = "control"


@dataclass(frozen=True)
class Proposal:
    """One level to be played by one row; the same level may be proposed again.

    Attributes:
        level: Its number, unique for the teacher.
        task: Its task.
        seed: Seed of the episode; ``None``: the row's random generator continues.
        train: Whether the player learns from the episode; ``False``: it is played without a gradient (probes).
        player: Who plays: ``"student"``, ``"control"``, ``"student/3"`` of a population, ``"antagonist"``; one of the
            teacher's :attr:`.Teacher.players`.
        co_players: The other players of the task, by name: frozen policies that the run was given, players of
            the run as they are when the episode begins, or co-players that the environment knows.
        state: A saved state that the episode begins from (:meth:`.TaskVectorEnv.save_states`); ``task`` is the state's
            own, or the same with another goal or program.
    """

    level: int
    task: Task
    seed: int | None = None
    train: bool = True
    player: str = STUDENT
    co_players: tuple[str, ...] = ()
    state: SavedState | None = None


class FreshLevels(Sequence[Proposal]):
    """Proposals of new levels to the student that say nothing else: their numbers follow each other.

    Rows that play them begin as a whole where their tasks are a :class:`.TaskBatch`.

    Args:
        first: The number of the first level.
        tasks: The levels' tasks.
    """

    def __init__(self, first: int, tasks: Sequence[Task]):
        self.first, self.tasks = first, tasks

    def __len__(self) -> int:
        return len(self.tasks)

    @overload
    def __getitem__(self, place: int) -> Proposal: ...
    @overload
    def __getitem__(self, place: slice) -> list[Proposal]: ...
    def __getitem__(self, place: int | slice) -> Proposal | list[Proposal]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return Proposal(self.first + range(len(self))[place], self.tasks[place])


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


#: Columns of :class:`FinishedEpisodes` that only a critic knows; a teacher that requires any is given all.
CRITICISM = frozenset({"start_value", "mean_value", "value_loss"})


@dataclass(frozen=True)
class FinishedEpisodes:
    """N finished episodes as columns, in the order in which they ended.

    Attributes:
        level: int64 (N,), the proposals' numbers.
        player: int16 (N,), who played, as an index into ``players``.
        train: bool (N,), whether the student learned from it.
        return_: float64 (N,), undiscounted sums of rewards.
        success: bool (N,), whether the task was solved.
        length: int64 (N,), steps.
        start_value: float32 (N,), the critic's value of the first observation; NaN where the student has no critic or
            the teacher requires no ``CRITICISM``.
        mean_value: float32 (N,), the mean of the critic's values over the episode's steps; NaN without a critic.
        value_loss: float32 (N,), the mean over the episode's steps of the positive part of the generalised advantages;
            NaN without a critic.
        steps: What happened in each, N of them; ``None``: the teacher does not require it, or it is a probe.
        players: Names of the run's players.
        seat: int16 (N,), the seat of its world that the player had, from 0; by default the first, which is the one that
            scores are of.
    """

    level: np.ndarray
    player: np.ndarray
    train: np.ndarray
    return_: np.ndarray
    success: np.ndarray
    length: np.ndarray
    start_value: np.ndarray
    mean_value: np.ndarray
    value_loss: np.ndarray
    steps: tuple[EpisodeSteps, ...] | None = None
    players: tuple[str, ...] = (STUDENT,)
    seat: np.ndarray = None  # type: ignore[assignment]  # filled in

    def __post_init__(self):
        if self.seat is None:
            object.__setattr__(self, "seat", np.zeros(len(self.level), np.int16))

    def __len__(self) -> int:
        return len(self.level)

    def by(self, name: str) -> Self:
        """The episodes that a player played.

        Raises:
            UnknownNameError: The run has no such player.
        """
        if name not in self.players:
            raise UnknownNameError("player", name, list(self.players))
        return self.of(self.player == self.players.index(name))

    def of(self, chosen: np.ndarray) -> Self:
        """The episodes at ``chosen`` (indices or bool (N,))."""
        columns = {name: getattr(self, name)[chosen] for name in self._columns()}
        steps = None if self.steps is None else tuple(self.steps[place] for place in np.arange(len(self))[chosen])
        return type(self)(**columns, steps=steps, players=self.players)

    @classmethod
    def joined(cls, parts: "list[FinishedEpisodes]") -> "FinishedEpisodes":
        """Several as one, in their order; what happened in them is known where it is of all."""
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls._columns()}
        steps = [part.steps for part in parts if part.steps is not None]
        known = len(steps) == len(parts)
        return cls(**columns, steps=tuple(chain.from_iterable(steps)) if known else None, players=parts[0].players)

    @classmethod
    def _columns(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name not in ("steps", "players")]


class Student(Protocol):
    """The student as its teacher sees it between updates."""

    @property
    def steps_used(self) -> int:
        """Environment steps taken so far, those of :meth:`evaluate` among them."""

    def evaluate(self, tasks: list[Task], episodes: int, player: str = STUDENT) -> FinishedEpisodes:
        """A player, or :data:`CONTROL`, plays every task so many times, without learning; the budget pays the steps.

        Returns:
            One row per episode, task by task; ``level`` is the task's place in the list. The last ones are missing
            where the budget does not suffice.
        """

    def values(self, observations: dict[str, np.ndarray], player: str = STUDENT) -> np.ndarray:
        """The player's critic's values float32 (N,) of observations (N, ...)."""

    def snapshot(self, player: str = STUDENT) -> "PlayerSnapshot":
        """A copy of what the player has learned, to be given back to :meth:`load`, of this or of another player."""

    def load(self, snapshot: "PlayerSnapshot", player: str = STUDENT) -> None:
        """Let the player continue from a snapshot of a player of the same kind."""


@dataclass(frozen=True)
class PlayerSnapshot:
    """What a player has learned.

    Attributes:
        arrays, values: As :meth:`.Learner.state` gives them.
        rates: The numbers that may change in a run; see :class:`.Learner`.
    """

    arrays: dict[str, np.ndarray]
    values: dict[str, Any]
    rates: dict[str, float]


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
    #: ``"start_value"``, ``"mean_value"``, ``"value_loss"`` and ``"steps"``.
    required_columns: frozenset[str] = frozenset()
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
        """A level for each of these rows (their indices), which begin an episode after ``step`` environment steps."""

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


RolloutT = TypeVar("RolloutT")


class IncompleteLearnerError(ProcgenBenchError, TypeError):
    """A learner lacks what every learner has."""


class Learner(ABC, Generic[RolloutT]):
    """Acts in rows, learns from what came of it, and can be kept and exported.

    What it learns from is what its collector gives: a :class:`.Rollout`, or whole :class:`.Episodes`.

    Attributes:
        device: Where its networks are; the observations that it is given are there, too.
        memory_width: Numbers that it remembers of a row from step to step; 0: it has no memory.
        rates: Numbers that may change while a run goes on, by name (``"learning_rate"``, ``"entropy_weight"``): each
            update reads them, a population may set them, and checkpoints keep them. A run is not recognised by them.
        required_infos: Infos of the environment that its rollouts are to hold, by name; of those that the environment
            declares (:attr:`.TaskVectorEnv.learner_infos`).
        policy_parts: Parts of its :meth:`state` that are the policy's weights, those of them that it has.
        parts_beside: Further parts with which a run may begin: what another run's checkpoint has of them, and of
            ``"scale"``, the statistics of returns, what a policy's folder has.
    """

    device: "torch.device"
    memory_width: int = 0
    rates: Mapping[str, float] = MappingProxyType({})
    required_infos: tuple[str, ...] = ()
    policy_parts: ClassVar[tuple[str, ...]] = ("network", "acting")
    parts_beside: ClassVar[tuple[str, ...]] = ("scale",)

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Refuse a subclass that is not complete in one line, before a run begins.

        Raises:
            IncompleteLearnerError: It lacks an abstract method.
        """
        if missing := sorted(cls.__abstractmethods__):
            raise IncompleteLearnerError(
                f"the learner {cls.__name__} lacks {', '.join(missing)}, expected act, update, state, restore and "
                "policy_weights"
            )
        return super().__new__(cls)

    @abstractmethod
    def act(self, observations: "Tensors", memory: "torch.Tensor") -> "tuple[torch.Tensor, Tensors, torch.Tensor]":
        """Choose an action for every row, exploring.

        Args:
            observations: By name (N, ...).
            memory: float32 (N, M), zeros where an episode begins.

        Returns:
            Actions (N, ...); by name float32 (N, ...), what the update requires of them; the next memory (N, M).
        """

    @abstractmethod
    def update(self, rollout: RolloutT) -> dict[str, float]:
        """Learn from a rollout; returns measures of it."""

    def advantages(self, rollout: RolloutT) -> np.ndarray | None:
        """Generalised advantages float32 (T, N) of a rollout that :meth:`update` has not seen; ``None``: no critic."""
        return None

    def values(self, observations: "Tensors") -> np.ndarray:
        """The critic's values float32 (N,) of first observations by name (N, ...); NaN where it has none."""
        return np.full(len(next(iter(observations.values()))), np.nan, np.float32)

    @abstractmethod
    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` continues exactly."""

    @abstractmethod
    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""

    @abstractmethod
    def policy_weights(self) -> Arrays:
        """The weights that its policy plays with, by name."""

    def critic_scale(self) -> dict[str, float]:
        """On what scale the critic among :meth:`policy_weights` values states, by name; nothing: in returns."""
        return {}

    def after_beginning(self) -> None:
        """Called when the learner has taken the weights that its run begins with."""

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Called after every evaluation with its row of the curve, which may be changed and added to."""

"""What trainers, learners and teachers are to each other."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Protocol, Self, overload

import numpy as np

from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.task import Task
from procgen_bench.engine.saved_state import SavedState

if TYPE_CHECKING:
    from procgen_bench.baselines.training.player import PlayerSnapshot


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
CRITICISM = frozenset({"start_value", "mean_value", "value_loss", "step_score"})


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
        step_score: float32 (N,), the mean over the episode's steps of the teacher's :attr:`.Teacher.step_score`; by
            default NaN, as without a critic.
        gradient_norm: float32 (N,), the mean over the episode's steps of :meth:`.Learner.gradient_norms`; by default
            NaN, as where the teacher does not require it or nothing learns by a policy's gradient.
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
    step_score: np.ndarray = None  # type: ignore[assignment]  # filled in
    gradient_norm: np.ndarray = None  # type: ignore[assignment]  # filled in

    def __post_init__(self):
        for name in ("step_score", "gradient_norm"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.full(len(self.level), np.nan, np.float32))
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

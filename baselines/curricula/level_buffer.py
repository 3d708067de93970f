"""LevelBuffer: levels that a teacher keeps and replays, with their scores; by the ranks of these, as PLR does."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.training.teacher import TeacherArrays
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace


@dataclass(frozen=True)
class Candidate:
    """A level that was played and might be kept: its number, its task, its score and its greatest return so far."""

    number: int
    task: Task
    score: float
    max_return: float


class LevelBuffer(ABC):
    """At most ``capacity`` different levels with scores, which are replayed by a distribution of the subclass.

    Args:
        capacity: Levels at most.

    Attributes:
        scores: float64 (capacity,), of the kept levels the first ``len(self)``.
        max_returns: float64 (capacity,), each level's greatest return so far.
    """

    def __init__(self, capacity: int):
        self.capacity = capacity
        self.scores, self.max_returns = np.zeros(capacity), np.zeros(capacity)
        self._numbers: list[int] = []
        self._tasks: list[Task] = []
        self._fingerprints: list[str] = []
        self._slot_of_number: dict[int, int] = {}
        self._slot_of_fingerprint: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def slot(self, number: int) -> int | None:
        """Where the level ``number`` is kept; ``None``: it is not."""
        return self._slot_of_number.get(number)

    def holds(self, task: Task) -> bool:
        """Whether the same level is kept, of whatever number."""
        return task.fingerprint() in self._slot_of_fingerprint

    def level(self, slot: int) -> tuple[int, Task]:
        """The number and the task of the level that is kept there."""
        return self._numbers[slot], self._tasks[slot]

    @property
    def tasks(self) -> list[Task]:
        """The tasks of all kept levels, slot by slot."""
        return list(self._tasks)

    @abstractmethod
    def replay_distribution(self) -> np.ndarray:
        """The probability of each kept level to be replayed next, float64 (n,)."""

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """The slots, int64 (count,), of levels to be replayed now, all from one distribution."""
        bounds = self.replay_distribution().cumsum()
        return np.searchsorted(bounds, rng.random(count) * bounds[-1], side="right").clip(max=len(self) - 1)

    def rescore(self, slot: int, score: float, max_return: float) -> None:
        """A kept level was played again."""
        self.scores[slot], self.max_returns[slot] = score, max_return

    def offer(self, candidates: Sequence[Candidate]) -> int:
        """Keep what is new and fits in, or replaces a level that gives way to it.

        Levels that are kept already are only scored again.

        Returns:
            How many were taken in.
        """
        new = []
        for candidate in candidates:
            slot = self._slot_of_fingerprint.get(candidate.task.fingerprint())
            if slot is None:
                new.append(candidate)
            else:
                self.rescore(slot, candidate.score, max(self.max_returns[slot], candidate.max_return))
                self._note_entry(slot)
        room = self.capacity - len(self)
        taken = sum(self._put(len(self), candidate) for candidate in new[:room])
        return taken + self._replace(sorted(new[room:], key=lambda candidate: -candidate.score))

    @abstractmethod
    def _leaving(self) -> np.ndarray:
        """The slots int64 (n,) in the order in which their levels give way."""

    @abstractmethod
    def _gives_way(self, slot: int, score: float) -> bool:
        """Whether the level that is kept there leaves for one of this score."""

    def _note_entry(self, slot: int) -> None:  # noqa: B027 - not every distribution depends on it
        """A level was taken in there, or came again."""

    def _replace(self, descending: Sequence[Candidate]) -> int:
        if not descending:
            return 0
        taken = 0
        leaving = self._leaving()
        for candidate in descending:
            if taken == len(leaving) or not self._gives_way(int(leaving[taken]), candidate.score):
                break
            taken += self._put(int(leaving[taken]), candidate)
        return taken

    def _put(self, slot: int, candidate: Candidate) -> bool:
        """Keep it there, in place of what was; unless the same level came twice at once."""
        fingerprint = candidate.task.fingerprint()
        if fingerprint in self._slot_of_fingerprint:
            return False
        if slot < len(self):
            del self._slot_of_number[self._numbers[slot]], self._slot_of_fingerprint[self._fingerprints[slot]]
            self._numbers[slot], self._tasks[slot] = candidate.number, candidate.task
            self._fingerprints[slot] = fingerprint
        else:
            self._numbers.append(candidate.number)
            self._tasks.append(candidate.task)
            self._fingerprints.append(fingerprint)
        self._slot_of_number[candidate.number] = self._slot_of_fingerprint[fingerprint] = slot
        self.rescore(slot, candidate.score, candidate.max_return)
        self._note_entry(slot)
        return True

    def state(self, space: TaskSpace) -> TeacherArrays:
        """Arrays from which :meth:`restore` continues exactly."""
        count = len(self)
        columns = {
            "numbers": np.array(self._numbers, np.int64),
            "scores": self.scores[:count].copy(),
            "max_returns": self.max_returns[:count].copy(),
        }
        return {f"buffer.{name}": column for name, column in columns.items()} | level_arrays(
            space, self._tasks, "buffer.level"
        )

    def restore(self, space: TaskSpace, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._tasks = levels_of(space, arrays, "buffer.level")
        self._numbers = arrays["buffer.numbers"].tolist()
        self._fingerprints = [task.fingerprint() for task in self._tasks]
        self._slot_of_number = {number: slot for slot, number in enumerate(self._numbers)}
        self._slot_of_fingerprint = {fingerprint: slot for slot, fingerprint in enumerate(self._fingerprints)}
        count = len(self)
        self.scores[:count] = arrays["buffer.scores"]
        self.max_returns[:count] = arrays["buffer.max_returns"]


class RankedLevelBuffer(LevelBuffer):
    """Levels that are replayed by the ranks of their scores (Jiang et al. 2021, "Prioritized Level Replay").

    A level of rank r by its score is replayed with a weight of ``(1 / r) ** (1 / temperature)``; a share ``staleness``
    of the probability goes to levels in proportion to the replays since their own last one. The least likely gives way
    to a level that scores no lower.

    Args:
        capacity: Levels at most.
        temperature: Above 0; the lower, the more the best ranks are preferred.
        staleness: 0 to 1.
    """

    def __init__(self, capacity: int, temperature: float, staleness: float):
        super().__init__(capacity)
        self.temperature, self.staleness = temperature, staleness
        self._last_replays = np.zeros(capacity, np.int64)
        self._replays = 0

    def replay_distribution(self) -> np.ndarray:
        """The probability of each kept level to be replayed next, float64 (n,)."""
        count = len(self)
        ranks = np.empty(count)
        # Stable, so that equal scores rank alike on every machine.
        ranks[np.argsort(-self.scores[:count], kind="stable")] = np.arange(1, count + 1)
        by_score = ranks ** (-1 / self.temperature)
        ages = (self._replays - self._last_replays[:count]).astype(np.float64)
        by_age = ages if ages.any() else np.ones(count)
        return (1 - self.staleness) * by_score / by_score.sum() + self.staleness * by_age / by_age.sum()

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """The slots, int64 (count,), of levels to be replayed now, all from one distribution; their staleness ends."""
        slots = super().draw(rng, count)
        self._last_replays[slots] = self._replays + np.arange(1, count + 1)
        self._replays += count
        return slots

    def admit(self, candidate: Candidate) -> None:
        """Keep a level that is not yet kept, whatever its score; of a full buffer the least likely one leaves."""
        self._put(len(self) if len(self) < self.capacity else int(self._leaving()[0]), candidate)

    def remove(self, slot: int) -> None:
        """Keep the level there no longer; the last one takes its slot."""
        del self._slot_of_number[self._numbers[slot]], self._slot_of_fingerprint[self._fingerprints[slot]]
        last = len(self) - 1
        if slot != last:
            self._slot_of_number[self._numbers[last]] = self._slot_of_fingerprint[self._fingerprints[last]] = slot
        for column in (self.scores, self.max_returns, self._last_replays):
            column[slot] = column[last]
        self._numbers[slot], self._tasks[slot] = self._numbers[last], self._tasks[last]
        self._fingerprints[slot] = self._fingerprints[last]
        del self._numbers[last], self._tasks[last], self._fingerprints[last]

    def state(self, space: TaskSpace) -> TeacherArrays:
        """With when each level was last replayed."""
        replays = {
            "buffer.last_replays": self._last_replays[: len(self)].copy(),
            "buffer.replays": np.array(self._replays, np.int64),
        }
        return super().state(space) | replays

    def restore(self, space: TaskSpace, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(space, arrays)
        self._last_replays[: len(self)] = arrays["buffer.last_replays"]
        self._replays = int(arrays["buffer.replays"])

    def _leaving(self) -> np.ndarray:
        return np.argsort(self.replay_distribution(), kind="stable")

    def _gives_way(self, slot: int, score: float) -> bool:
        return score >= self.scores[slot]

    def _note_entry(self, slot: int) -> None:
        """A new level is not stale, nor one that was drawn again."""
        self._last_replays[slot] = self._replays

"""LevelBuffer: the levels that prioritised level replay keeps, their scores, and how likely each is replayed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.training.contracts import TeacherArrays
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace


@dataclass(frozen=True)
class Candidate:
    """A level that was played and might be kept: its number, its task, its score and its greatest return so far."""

    number: int
    task: Task
    score: float
    max_return: float


class LevelBuffer:
    """At most ``capacity`` different levels with scores (Jiang et al. 2021, "Prioritized Level Replay").

    A level of rank r by its score is replayed with a weight of ``(1 / r) ** (1 / temperature)``; a share ``staleness``
    of the probability goes to levels in proportion to the replays since their own last one.

    Args:
        capacity: Levels at most.
        temperature: Above 0; the lower, the more the best ranks are preferred.
        staleness: 0 to 1.

    Attributes:
        scores: float64 (capacity,), of the kept levels the first ``len(self)``.
        max_returns: float64 (capacity,), each level's greatest return so far.
    """

    def __init__(self, capacity: int, temperature: float, staleness: float):
        self.capacity, self.temperature, self.staleness = capacity, temperature, staleness
        self.scores, self.max_returns = np.zeros(capacity), np.zeros(capacity)
        self._last_replays = np.zeros(capacity, np.int64)
        self._replays = 0
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

    def level(self, slot: int) -> tuple[int, Task]:
        """The number and the task of the level that is kept there."""
        return self._numbers[slot], self._tasks[slot]

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
        bounds = self.replay_distribution().cumsum()
        slots = np.searchsorted(bounds, rng.random(count) * bounds[-1], side="right").clip(max=len(self) - 1)
        self._last_replays[slots] = self._replays + np.arange(1, count + 1)
        self._replays += count
        return slots

    def rescore(self, slot: int, score: float, max_return: float) -> None:
        """A kept level was played again."""
        self.scores[slot], self.max_returns[slot] = score, max_return

    def offer(self, candidates: Sequence[Candidate]) -> int:
        """Keep what is new and fits in, or scores no lower than the levels that are least likely to be replayed.

        Levels that are kept already are only scored again, and are stale no longer.

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
                self._last_replays[slot] = self._replays
        room = self.capacity - len(self)
        taken = sum(self._put(len(self), candidate) for candidate in new[:room])
        return taken + self._replace(sorted(new[room:], key=lambda candidate: -candidate.score))

    def _replace(self, descending: Sequence[Candidate]) -> int:
        if not descending:
            return 0
        taken = 0
        least_likely = np.argsort(self.replay_distribution(), kind="stable")
        for candidate in descending:
            if taken == len(least_likely) or candidate.score < self.scores[least_likely[taken]]:
                break
            taken += self._put(int(least_likely[taken]), candidate)
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
        self._last_replays[slot] = self._replays
        self.rescore(slot, candidate.score, candidate.max_return)
        return True

    def state(self, space: TaskSpace) -> TeacherArrays:
        """Arrays from which :meth:`restore` continues exactly."""
        count = len(self)
        columns = {
            "numbers": np.array(self._numbers, np.int64),
            "scores": self.scores[:count].copy(),
            "max_returns": self.max_returns[:count].copy(),
            "last_replays": self._last_replays[:count].copy(),
            "replays": np.array(self._replays, np.int64),
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
        self._last_replays[:count] = arrays["buffer.last_replays"]
        self._replays = int(arrays["buffer.replays"])

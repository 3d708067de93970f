"""ReturnTable: what every policy scores as player 1 on every task of an evaluation (4.2)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask


@dataclass(frozen=True, eq=False)
class ReturnTable:
    """Returns of policies on tasks; complete, and not to be changed.

    Attributes:
        policies: Names of the policies that were player 1, P of them, each once.
        tasks: The tasks, T of them, each once; in any order.
        returns: float64 (P, T), the sum of player 1's rewards in an episode, at least 0; the mean over episodes where
            several were played.

    Raises:
        InvalidReturnsError: No policies or tasks, one twice, a wrong shape, or a return that is missing, negative or
            not finite; names the first.
    """

    policies: tuple[str, ...]
    tasks: tuple[EvaluationTask, ...]
    returns: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "policies", tuple(self.policies))
        object.__setattr__(self, "tasks", tuple(self.tasks))
        _check_distinct("policies", self.policies)
        _check_distinct("tasks", self.tasks)
        object.__setattr__(self, "returns", self._checked_returns())

    def _checked_returns(self) -> np.ndarray:
        returns = np.array(self.returns, np.float64)
        expected = (len(self.policies), len(self.tasks))
        if returns.shape != expected:
            raise InvalidReturnsError("shape of the returns", returns.shape, f"{expected}, policies x tasks")
        for policy, task in np.argwhere(~(np.isfinite(returns) & (returns >= 0)))[:1]:
            place = f"return of {self.policies[policy]!r} on {self.tasks[task]}"
            raise InvalidReturnsError(place, float(returns[policy, task]), "a finite number, at least 0")
        returns.flags.writeable = False
        return returns

    @cached_property
    def games(self) -> tuple[str, ...]:
        """Identities of the games, in the order of their first tasks."""
        return tuple(self.tasks_by_game)

    @cached_property
    def tasks_by_game(self) -> dict[str, np.ndarray]:
        """Places of every game's tasks, int64, by the game's identity; games in the order of their first tasks."""
        places: dict[str, list[int]] = {}
        for place, task in enumerate(self.tasks):
            places.setdefault(task.game, []).append(place)
        return {game: np.array(of_game) for game, of_game in places.items()}


def _check_distinct(kind: str, names: Sequence[Hashable]) -> None:
    """Raise :class:`InvalidReturnsError` unless there are policies or tasks, each once."""
    if not names:
        raise InvalidReturnsError(f"number of {kind}", 0, "at least 1")
    seen = set()
    for name in names:
        if name in seen:
            raise InvalidReturnsError(kind, f"{name} (twice)", "every one only once")
        seen.add(name)

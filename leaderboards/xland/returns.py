"""ReturnTable: what every policy scores as player 1 on every task of an evaluation (4.2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError

_MAX_NAME = 200


class EvaluationTask(NamedTuple):
    """A world-game pair and who else plays.

    Attributes:
        game: Identity of the game: tasks of one game have the same.
        world: Identity of the world.
        co_player: Name of the policy of all other players, or of the team that they are.
    """

    game: str
    world: str
    co_player: str

    def __str__(self) -> str:
        return f"game {self.game!r}, world {self.world!r}, co-player {self.co_player!r}"


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
        object.__setattr__(self, "tasks", tuple(EvaluationTask(*task) for task in self.tasks))
        check_axes(self.policies, self.tasks)
        object.__setattr__(self, "returns", self._checked_returns())

    def _checked_returns(self) -> np.ndarray:
        try:
            returns = np.array(self.returns, np.float64)
        except (TypeError, ValueError):
            raise InvalidReturnsError("returns", self.returns, "numbers, policies x tasks") from None
        expected = (len(self.policies), len(self.tasks))
        if returns.shape != expected:
            raise InvalidReturnsError("shape of the returns", returns.shape, f"{expected}, policies x tasks")
        with np.errstate(invalid="ignore"):
            wrong = np.argwhere(~(np.isfinite(returns) & (returns >= 0)))
        for policy, task in wrong[:1]:
            check_return(self.policies[policy], self.tasks[task], float(returns[policy, task]))
        returns.flags.writeable = False
        return returns

    @classmethod
    def of_cells(
        cls,
        policies: Sequence[str],
        tasks: Sequence[EvaluationTask],
        cells: Mapping[tuple[str, EvaluationTask], float],
    ) -> "ReturnTable":
        """The table of these cells, by policy and task.

        Raises:
            InvalidReturnsError: A cell is missing; names the first and how many there are.
            UnknownNameError: A cell's policy or task is not one of those named.
        """
        policies, tasks = tuple(policies), tuple(EvaluationTask(*task) for task in tasks)
        check_axes(policies, tasks)
        for policy, task in cells.keys() - set(product(policies, tasks)):
            place_of("policy", policy, policies)
            place_of("task", EvaluationTask(*task), tasks)
        missing = [cell for cell in product(policies, tasks) if cell not in cells]
        if missing:
            raise missing_cell(*missing[0], len(missing))
        returns = [[cells[policy, task] for task in tasks] for policy in policies]
        return cls(policies, tasks, np.array(returns, np.float64))

    @cached_property
    def games(self) -> tuple[str, ...]:
        """Identities of the games, in the order of their first tasks."""
        return tuple(dict.fromkeys(task.game for task in self.tasks))

    @cached_property
    def tasks_by_game(self) -> dict[str, np.ndarray]:
        """Places of every game's tasks, int64, by the game's identity."""
        places: dict[str, list[int]] = {game: [] for game in self.games}
        for place, task in enumerate(self.tasks):
            places[task.game].append(place)
        return {game: np.array(of_game) for game, of_game in places.items()}

    def of_policy(self, policy: str) -> np.ndarray:
        """Returns of a policy, float64 (T,); :class:`UnknownNameError` if there is none of this name."""
        return self.returns[place_of("policy", policy, self.policies)]

    def of_policies(self, policies: Iterable[str]) -> "ReturnTable":
        """The table of these policies alone, in this order."""
        policies = tuple(policies)
        rows = [place_of("policy", policy, self.policies) for policy in policies]
        return ReturnTable(policies, self.tasks, self.returns[rows].reshape(len(rows), len(self.tasks)))

    def of_tasks(self, tasks: Iterable[EvaluationTask]) -> "ReturnTable":
        """The table of these tasks alone, in this order."""
        tasks, places = tuple(tasks), {task: place for place, task in enumerate(self.tasks)}
        for task in tasks:
            if task not in places:
                raise UnknownNameError("task", str(task), list(map(str, self.tasks)))
        columns = [places[task] for task in tasks]
        return ReturnTable(self.policies, tasks, self.returns[:, columns].reshape(len(self.policies), len(tasks)))

    def joined(self, other: "ReturnTable") -> "ReturnTable":
        """This table and below it another's policies, which played the same tasks."""
        if set(other.tasks) != set(self.tasks):
            strange = next(iter(sorted(set(self.tasks) ^ set(other.tasks))))
            raise InvalidReturnsError("a task of only one of the tables", str(strange), "the same tasks in both")
        below = other.of_tasks(self.tasks)
        return ReturnTable(self.policies + other.policies, self.tasks, np.vstack([self.returns, below.returns]))


def check_axes(policies: Sequence[str], tasks: Sequence[EvaluationTask]) -> None:
    """Raise :class:`InvalidReturnsError` unless there are policies and tasks, properly named, each once."""
    for kind, names in (("policies", policies), ("tasks", tasks)):
        if not names:
            raise InvalidReturnsError(f"number of {kind}", 0, "at least 1")
        seen = set()
        for name in names:
            if name in seen:
                raise InvalidReturnsError(kind, f"{name} (twice)", "every one only once")
            seen.add(name)
    for name in policies:
        _check_name("name of a policy", name)
    for task in tasks:
        for field, name in zip(EvaluationTask._fields, task):
            _check_name(f"{field.replace('_', '-')} of a task", name)


def check_return(policy: str, task: EvaluationTask, value: float) -> None:
    """Raise :class:`InvalidReturnsError` unless a return is finite and at least 0."""
    if not (np.isfinite(value) and value >= 0):
        raise InvalidReturnsError(f"return of {policy!r} on {task}", value, "a finite number, at least 0")


def missing_cell(policy: str, task: EvaluationTask, count: int) -> InvalidReturnsError:
    """The error of a table that lacks ``count`` cells, this one the first."""
    others = f" (as are {count - 1:,} others)" if count > 1 else ""
    return InvalidReturnsError(f"return of {policy!r} on {task}{others}", None, "a number in every cell")


def place_of(kind: str, name, names: Sequence) -> int:
    """Place of a policy or task among ``names``; :class:`UnknownNameError` if it is not there."""
    try:
        return names.index(name)
    except ValueError:
        raise UnknownNameError(kind, str(name), list(map(str, names))) from None


def _check_name(place: str, name: object) -> None:
    # NumPy's strings end at a NUL, and a line break would end an entry of a journal.
    if not (isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()):
        raise InvalidReturnsError(place, name, f"1 to {_MAX_NAME} printable characters")

"""AtomicPolicy: who carries out atomic programs. Scripted or learned, reliable or not."""

from typing import Protocol

import numpy as np

from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.tasks.programs import Program


class AtomicPolicy(Protocol):
    """Carries out calls of atomic programs in many rows, each for ``ATOMIC_STEPS`` steps."""

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """A call begins in a row.

        Args:
            row: Its number; any rows may be under way at a time.
            program: The atomic program.
            goal: float64 (3 N,), the goal that it set.
        """

    def act(self, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The next actions float32 (n, 4) in [-1, 1] of rows, int64 (n,), in states float64 (n, 15 N + 10)."""


class ScriptedAtomicPolicy:
    """The scripted expert: a waypoint controller, which sees what every policy sees."""

    def __init__(self) -> None:
        self._experts: dict[int, Expert] = {}

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`AtomicPolicy`."""
        self._experts[row] = Expert(program, goal)

    def act(self, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`AtomicPolicy`."""
        return np.array([self._experts[row].act(state) for row, state in zip(rows.tolist(), states)], np.float32)


class FailingAtomicPolicy:
    """One some of whose calls come to nothing: the arm stays where it is for the whole call.

    Args:
        inner: Carries out the other calls.
        chance: Probability that a call fails, independently of all others.
        seed: Decides which: a row's first call, its second, ..., whatever happens in other rows.
    """

    def __init__(self, inner: AtomicPolicy, chance: float, seed: int):
        self._inner, self._chance, self._seed = inner, chance, seed
        self._calls: dict[int, int] = {}
        self._fails: dict[int, bool] = {}

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`AtomicPolicy`."""
        number = self._calls[row] = self._calls.get(row, -1) + 1
        rng = np.random.default_rng(seed_from_parts("failing call", self._seed, row, number))
        self._fails[row] = bool(rng.random() < self._chance)
        self._inner.begin(row, program, goal)

    def act(self, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`AtomicPolicy`."""
        actions = self._inner.act(rows, states)
        actions[[self._fails[row] for row in rows.tolist()]] = 0.0
        return actions

"""Program: a skill of the four blocks with its pre-condition, its post-condition and, if atomic, its goal setter."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.programs.goals import goal_reached
from procgen_bench.tasks.programs.hindrances import hindrances
from procgen_bench.tasks.programs.states import GOAL_SIZE, STATE_SIZE, block_positions

#: Steps for which a policy is given an atomic program, the paper's T.
ATOMIC_STEPS = 50

#: Reads float64 states (N, 70), writes one row of the second array per state.
Kernel = Callable[[np.ndarray, np.ndarray], None]


@dataclass(frozen=True)
class Program:
    """A program of the library (AlphaNPI-X, section 3 and table 3).

    Its functions are pure and batched: ``states`` are numbers (..., 70) in the canonical order (see
    :mod:`procgen_bench.tasks.programs.states`), with any leading dimensions, none for a single one.

    The post-condition of an atomic program asks that its own block is where it was to go *and all others are where they
    were*: it is a function of a state and of the goal that :meth:`goal` set in the state in which the program began.
    That of a non-atomic program is a function of a state alone.

    Attributes:
        name: Its name in the paper's table 3, like ``"Stack_0_1"``.
        text: What it does, in words.
        level: 0 for atomic programs, 1 and 2 for the others; a program may call those of lower levels.
        precondition_text: What its pre-condition asks for, in words.
        calls: Names of the programs that a plan for it is made of; none for an atomic program.
        most_atomic_calls: Atomic calls that such a plan needs at most, from a start in which nothing moves.
        blocks: Of an atomic program: the block that it moves, then the one, if any, that it stacks it on.
        zone: Of a program that moves a block to a zone: the zone's place in ``COLOURS``.
    """

    name: str
    text: str
    level: int
    precondition_text: str
    calls: tuple[str, ...]
    most_atomic_calls: int
    _precondition: Kernel
    _postcondition: Kernel | None
    _goal: Kernel | None
    blocks: tuple[int, ...] = ()
    zone: int | None = None

    @property
    def is_atomic(self) -> bool:
        """Whether it is played by a goal-conditioned policy, for ``ATOMIC_STEPS`` steps."""
        return self._goal is not None

    @property
    def horizon(self) -> int:
        """Steps that it is given: ``ATOMIC_STEPS`` for each of the atomic calls that it takes at most."""
        return ATOMIC_STEPS * self.most_atomic_calls

    def precondition(self, states: np.ndarray) -> np.ndarray:
        """Whether the program can start: bool (...).

        Raises:
            InvalidTaskError: These are no states.
        """
        return _apply(self._precondition, _rows("states", states, STATE_SIZE), np.bool_)

    def unmet(self, state: np.ndarray) -> list[str]:
        """What keeps the program from starting in one state (70,), in words: empty where the pre-condition holds.

        Raises:
            InvalidTaskError: This is no state.
        """
        state = _rows("state", state, STATE_SIZE)
        if state.ndim != 1:
            raise InvalidTaskError("state's shape", state.shape, f"({STATE_SIZE},)")
        return hindrances(state, self.blocks, self.zone) if self.is_atomic else []

    def goal(self, states: np.ndarray) -> np.ndarray:
        """Where an atomic program that begins in ``states`` wants the blocks: float64 (..., 12), x, y, z of each.

        It has a meaning where the pre-condition holds.

        Raises:
            InvalidTaskError: These are no states, or the program is not atomic.
        """
        if self._goal is None:
            raise InvalidTaskError("program", self.name, "an atomic one; others have no goal")
        return _apply(self._goal, _rows("states", states, STATE_SIZE), np.float64, (GOAL_SIZE,))

    def postcondition(self, states: np.ndarray, goals: np.ndarray | None = None) -> np.ndarray:
        """Whether the program has done its work: bool (...).

        Args:
            states: What it has come to.
            goals: Of atomic programs: the goals (..., 12) that were set when it began, or one for all states.

        Raises:
            InvalidTaskError: These are no states, or goals are missing, too many, or given to a non-atomic program.
        """
        states = _rows("states", states, STATE_SIZE)
        if self._postcondition is not None:
            if goals is not None:
                raise InvalidTaskError(f"goals of {self.name}", goals, "None: only atomic programs have goals")
            return _apply(self._postcondition, states, np.bool_)
        if goals is None:
            raise InvalidTaskError(f"goals of {self.name}", goals, "those that were set when the program began")
        return reached(states, goals)


def reached(states: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Whether every block is in the sphere round its place in the goal: bool (...).

    Args:
        states: (..., 70).
        goals: (..., 12), or one goal for all states.

    Raises:
        InvalidTaskError: These are no states, or no goals of theirs.
    """
    states, goals = _rows("states", states, STATE_SIZE), _rows("goals", goals, GOAL_SIZE)
    if goals.shape[:-1] not in ((), states.shape[:-1]):
        raise InvalidTaskError("goals' shape", goals.shape, f"{(*states.shape[:-1], GOAL_SIZE)} or ({GOAL_SIZE},)")
    return goal_reached(block_positions(states).reshape(*states.shape[:-1], GOAL_SIZE), goals)


def _apply(kernel: Kernel, states: np.ndarray, dtype: type, shape: tuple[int, ...] = ()) -> np.ndarray:
    rows = states.reshape(-1, STATE_SIZE)
    results: np.ndarray = np.empty((len(rows), *shape), dtype)
    kernel(rows, results)
    return results.reshape(states.shape[:-1] + shape)[()]


def _rows(name: str, values: np.ndarray, size: int) -> np.ndarray:
    try:
        array = np.ascontiguousarray(values, np.float64) if np.ndim(values) else None
    except (TypeError, ValueError):
        array = None
    if array is None or array.shape[-1] != size:
        found = values if array is None else array.shape
        raise InvalidTaskError(f"{name}'{'' if name.endswith('s') else 's'} shape", found, f"numbers (..., {size})")
    return array

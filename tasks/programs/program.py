"""Program: a skill of a library with its pre-condition, its post-condition and, if atomic, its goal setter."""

import operator

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.functions import ProgramFunctions
from procgen_bench.tasks.programs.hindrances import hindrances
from procgen_bench.tasks.programs.states import number_rows

#: Steps for which a policy is given an atomic program, the paper's T.
ATOMIC_STEPS = 50


class Program:
    """A program of a library (AlphaNPI-X, section 3 and table 3).

    Its functions are those of the library for this program: pure and batched over ``states`` (..., 15 N + 10) with any
    leading dimensions, none for a single one.

    The post-condition of an atomic program asks that its own block is where it was to go *and all others are where they
    were*: it is a function of a state and of the goal that :meth:`goal` set in the state in which the program began.
    That of a non-atomic program is a function of a state alone.

    Attributes:
        library: Where it is from.
        definition: What it was defined as.
        number: Its place in the library.
        name, text, level, calls, most_atomic_calls, precondition_text, blocks, zone: As in :class:`ProgramDefinition`.
        is_atomic: Whether it is played by a goal-conditioned policy, for ``ATOMIC_STEPS`` steps.
        horizon: Steps that it is given: ``ATOMIC_STEPS`` for each of the atomic calls that it takes at most.
    """

    def __init__(self, library: ProgramFunctions, definition: ProgramDefinition, number: int):
        self.library, self.definition, self.number = library, definition, number
        self.name, self.text, self.level = definition.name, definition.text, definition.level
        self.calls, self.most_atomic_calls = definition.calls, definition.most_atomic_calls
        self.precondition_text = definition.precondition_text
        self.blocks, self.zone, self.is_atomic = definition.blocks, definition.zone, definition.is_atomic
        self.horizon = ATOMIC_STEPS * definition.most_atomic_calls
        self._numbers = np.array([number])

    def __repr__(self) -> str:
        return f"<Program {self.name}>"

    def __reduce__(self):
        return operator.getitem, (self.library, self.name)

    def precondition(self, states: np.ndarray) -> np.ndarray:
        """Whether the program can start: bool (...).

        Raises:
            InvalidTaskError: These are no states.
        """
        return self.library.preconditions(states, self._numbers)[..., 0]

    def unmet(self, state: np.ndarray) -> list[str]:
        """What keeps the program from starting in ``state``, float64 (15 N + 10,), in words: empty where the
        pre-condition holds.

        Raises:
            InvalidTaskError: This is no state.
        """
        size = self.library.state_size
        state = number_rows("state", state, size)
        if state.ndim != 1:
            raise InvalidTaskError("state's shape", state.shape, f"({size},)")
        if self.precondition(state):
            return []
        return hindrances(state, self.definition) or ["it asks for " + self.precondition_text]

    def goal(self, states: np.ndarray) -> np.ndarray:
        """Where an atomic program that begins in ``states`` must bring blocks: float64 (..., 3 N), x, y, z of each.

        It has a meaning where the pre-condition holds.

        Raises:
            InvalidTaskError: These are no states, or the program is not atomic.
        """
        if not self.is_atomic:
            raise InvalidTaskError("program", self.name, "an atomic one; others have no goal")
        return self.library.goals(states, self._numbers)[..., 0, :]

    def postcondition(self, states: np.ndarray, goals: np.ndarray | None = None) -> np.ndarray:
        """Whether the program has done its work: bool (...).

        Args:
            states: The states it has reached.
            goals: Of atomic programs: the goals (..., 3 N) that were set when it began, or one for all states.

        Raises:
            InvalidTaskError: These are no states, or goals are missing, too many, or given to a non-atomic program.
        """
        if goals is None:
            if self.is_atomic:
                raise InvalidTaskError(f"goals of {self.name}", goals, "those that were set when the program began")
            goals = np.zeros(self.library.goal_size)
        elif not self.is_atomic:
            raise InvalidTaskError(f"goals of {self.name}", goals, "None: only atomic programs have goals")
        goals = number_rows("goals", goals, self.library.goal_size)[..., np.newaxis, :]
        return self.library.postconditions(states, goals, self._numbers)[..., 0]

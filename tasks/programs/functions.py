"""ProgramFunctions: what the programs of a library ask for, all at once."""

from functools import cached_property

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.own_kernels import Kernels, compiled_library
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE, number_rows


class ProgramFunctions:
    """The pre-conditions, goals and post-conditions of programs, one compiled function each.

    They are pure and batched: ``states`` are numbers (..., 15 N + 10) in the canonical order (see
    :mod:`procgen_bench.tasks.programs.states`) with any leading dimensions, none for a single one; ``programs`` are
    numbers of programs, (K,) for the same ones in every state or (..., K), and ``None`` for all.

    ``kernels`` and ``table`` are what these call: in a caller's own loop, compiled or not, they cost neither checks nor
    allocations (all pre-conditions of one state take some two microseconds).

    Args:
        definitions: The programs.
        num_blocks: Number of blocks, N.

    Attributes:
        definitions: As they were given.
        num_blocks: N.
        state_size, goal_size: 15 N + 10 and 3 N.
    """

    def __init__(self, definitions: tuple[ProgramDefinition, ...], num_blocks: int):
        self.definitions, self.num_blocks = definitions, num_blocks
        self.state_size, self.goal_size = BLOCK_SIZE * num_blocks + GRIPPER_SIZE, 3 * num_blocks
        self._every = np.arange(len(definitions))[np.newaxis]

    @property
    def kernels(self) -> Kernels:
        """The compiled functions, made when first asked for; see :mod:`procgen_bench.tasks.programs.kernels`."""
        return self._compiled[0]

    @property
    def table(self) -> np.ndarray:
        """int64 (P, 3 + A), which the kernels are given."""
        return self._compiled[1]

    def preconditions(self, states: np.ndarray, programs: np.ndarray | None = None) -> np.ndarray:
        """Whether the programs can start: bool (..., K).

        Raises:
            InvalidTaskError: These are no states of N blocks, or no programs.
        """
        states, rows, numbers = self._checked(states, programs)
        results = np.empty((len(rows), numbers.shape[1]), np.bool_)
        self.kernels.preconditions(rows, numbers, self.table, results)
        return results.reshape(*states.shape[:-1], numbers.shape[1])

    def goals(self, states: np.ndarray, programs: np.ndarray | None = None) -> np.ndarray:
        """The goals that atomic programs set which begin in ``states``, zeros of others: float64 (..., K, 3 N).

        Raises:
            InvalidTaskError: These are no states of N blocks, or no programs.
        """
        states, rows, numbers = self._checked(states, programs)
        goals = np.empty((len(rows), numbers.shape[1], self.goal_size))
        self.kernels.goals(rows, numbers, self.table, goals)
        return goals.reshape(*states.shape[:-1], numbers.shape[1], self.goal_size)

    def postconditions(self, states: np.ndarray, goals: np.ndarray, programs: np.ndarray | None = None) -> np.ndarray:
        """Whether the programs have done their work: bool (..., K).

        Args:
            states: The states they have reached.
            goals: (..., K, 3 N), those that were set when they began (:meth:`goals`), or (K, 3 N) for all states.
            programs: Their numbers.

        Raises:
            InvalidTaskError: These are no states of N blocks, no goals of N blocks, or no programs.
        """
        states, rows, numbers = self._checked(states, programs)
        goals, expected = number_rows("goals", goals, self.goal_size), (numbers.shape[1], self.goal_size)
        if goals.shape not in (expected, states.shape[:-1] + expected):
            raise InvalidTaskError("goals' shape", goals.shape, f"{states.shape[:-1] + expected} or {expected}")
        of_rows = np.ascontiguousarray(np.broadcast_to(goals, states.shape[:-1] + expected)).reshape(-1, *expected)
        results = np.empty((len(rows), numbers.shape[1]), np.bool_)
        self.kernels.postconditions(rows, numbers, of_rows, self.table, results)
        return results.reshape(*states.shape[:-1], numbers.shape[1])

    @cached_property
    def _compiled(self) -> tuple[Kernels, np.ndarray]:
        return compiled_library(self.definitions)

    def _checked(self, states, programs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The states, these as rows, and the numbers of programs for each of them, or one row for all."""
        states = number_rows("states", states, self.state_size)
        rows = states.reshape(-1, self.state_size)
        if programs is None:
            return states, rows, self._every
        numbers = np.asarray(programs)
        if numbers.ndim == 0 or numbers.dtype.kind not in "iu" or numbers.shape[:-1] not in ((), states.shape[:-1]):
            expected = f"whole numbers (K,) or {(*states.shape[:-1], 'K')}"
            raise InvalidTaskError("programs", programs, expected.replace("'", ""))
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self.definitions):
            raise InvalidTaskError("programs", programs, f"numbers of programs, 0 to {len(self.definitions) - 1}")
        return states, rows, np.ascontiguousarray(numbers, np.int64).reshape(-1, numbers.shape[-1])

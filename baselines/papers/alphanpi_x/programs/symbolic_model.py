"""SymbolicModel: atomic programs that always do what they are for."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs import ProgramLibrary
from procgen_bench.tasks.programs.states import BLOCK_SIZE


class SymbolicModel:
    """The block that an atomic program moves is where its goal has it; all else stays as it was.

    Args:
        library: The programs.
    """

    def __init__(self, library: ProgramLibrary):
        self._library = library
        self._moved = np.array([program.blocks[0] if program.is_atomic else -1 for program in library.values()])

    def predict(self, states: np.ndarray, programs: np.ndarray) -> np.ndarray:
        """See :class:`~procgen_bench.baselines.papers.alphanpi_x.programs.search.ProgramModel`."""
        goals = np.empty((len(states), 1, self._library.goal_size))
        self._library.kernels.goals(states, programs[:, np.newaxis], self._library.table, goals)
        after = states.copy()
        _place(after, goals[:, 0], self._moved[programs])
        return after


@njit
def _place(states, goals, blocks):
    """Put the block of each state where its goal has it."""
    for row in range(states.shape[0]):
        for axis in range(3):
            states[row, BLOCK_SIZE * blocks[row] + axis] = goals[row, 3 * blocks[row] + axis]

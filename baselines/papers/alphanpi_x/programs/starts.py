"""Starts: states from which programs are imagined to be played."""

from typing import Protocol

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import ProgramLibrary
from procgen_bench.tasks.programs.states import GRIPPER_POSITION, split


class ProgramStarts(Protocol):
    """Where programs begin."""

    def draw(self, rng: np.random.Generator, programs: np.ndarray) -> np.ndarray:
        """States float64 (n, 15 N + 10) in which programs, int64 (n,), can start and have something to do."""


class DrawnStarts:
    """Starts as the tasks describe them: all blocks at random places on the table, and at rest.

    Args:
        library: The programs.
    """

    def __init__(self, library: ProgramLibrary):
        self._programs = [*library.values()]

    def draw(self, rng: np.random.Generator, programs: np.ndarray) -> np.ndarray:
        """See :class:`ProgramStarts`."""
        tasks = [draw_program_task(rng, self._programs[number], randomness=1.0) for number in programs.tolist()]
        states = np.stack([task.state for task in tasks])
        for state, task in zip(states, tasks):
            split(state)[1][GRIPPER_POSITION] = task.start.gripper
        return states


class RecordedStarts:
    """Starts that the simulation was observed in.

    Args:
        library: The programs.
        states: float64 (K, 15 N + 10), what they are drawn from.

    Raises:
        InvalidOptionError: In none of them a program that calls others can start and has something to do.
    """

    def __init__(self, library: ProgramLibrary, states: np.ndarray):
        self._states = states
        every = np.arange(len(library))
        goals = library.goals(states, every)
        self._suits = library.preconditions(states) & ~library.postconditions(states, goals)
        for program in library.values():
            if not program.is_atomic and not self._suits[:, program.number].any():
                raise InvalidOptionError(
                    f"{program.name} can start in none of the {len(states)} recorded starts, expected one at least; "
                    "give more recorded_calls"
                )

    def draw(self, rng: np.random.Generator, programs: np.ndarray) -> np.ndarray:
        """See :class:`ProgramStarts`."""
        return np.stack([self._states[rng.choice(np.flatnonzero(self._suits[:, number]))] for number in programs])

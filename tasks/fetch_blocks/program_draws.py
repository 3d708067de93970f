"""Starts from which a program can be played, and in which its work is not yet done."""

import numpy as np

from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.programs import Program


def draw_program_task(rng: np.random.Generator, program: Program, randomness: float = 0.0) -> FetchProgramTask:
    """A start of the paper's distribution (:func:`~procgen_bench.tasks.fetch_blocks.draws.draw_start`) for a program.

    The block to act on is that which an atomic program moves, for others any. Starts are drawn until the pre-condition
    holds and there is something to do.

    Args:
        rng: Draws it.
        program: The program.
        randomness: 0 to 1, as of :func:`~procgen_bench.tasks.fetch_blocks.draws.draw_start`.
    """
    first = program.blocks[0] if program.is_atomic else None
    while True:
        task = FetchProgramTask(draw_start(rng, program.library.num_blocks, first, randomness), program.name)
        if program.precondition(task.state) and not is_done(program, task.state):
            return task


def is_done(program: Program, state: np.ndarray) -> bool:
    """Whether a program that begins in ``state``, float64 (15 N + 10,), has nothing to do there."""
    return bool(program.postcondition(state, program.goal(state) if program.is_atomic else None))

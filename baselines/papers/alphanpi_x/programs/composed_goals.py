"""Goals of programs that call others: where all blocks lie when the scripted plan has gone well.

AlphaNPI-X's rival with hindsight is given them (Pierrot et al., 2020, section 5); AlphaNPI-X itself does without.
"""

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.programs import PROGRAMS, Program
from procgen_bench.tasks.programs.states import block_positions

#: Calls that a plan is followed for, as multiples of those that its program needs at most.
_PATIENCE = 2


def composed_goal(program: Program, state: np.ndarray) -> np.ndarray | None:
    """Where the blocks are to be: float64 (12,); ``None``: no plan that is found leads to the post-condition.

    Args:
        program: One of the paper's for four blocks that calls others.
        state: float64 (70,), where the program begins.
    """
    model = SymbolicModel(PROGRAMS)
    for _ in range(_PATIENCE * program.most_atomic_calls):
        call = next_call(program.name, state)
        if call is None:
            break
        state = model.predict(state[np.newaxis], np.array([PROGRAMS[call].number]))[0]
    return block_positions(state).ravel() if program.postcondition(state) else None

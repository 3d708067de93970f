"""The arm's solvers: the scripted expert, which proves tasks solvable in the simulation.

There is no chance in an episode: actions that solve a task do it again from every reset to it.
"""

import numpy as np

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.envs.fetch_blocks.scripted.playing import play_carrying, play_program
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchProgramTask
from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.programs.states import NUM_BLOCKS


def solve_blocks(task: FetchBlocksTask) -> np.ndarray:
    """Actions (float32 (T, 4)) of the scripted expert after which every block is where it is desired.

    It moves the block to act on alone: where others, too, have to go elsewhere, it solves nothing.

    Raises:
        UnsolvedTaskError: The expert did not in 50 steps.
    """
    actions = play_carrying(FetchBlocksSimulation(task.start.num_blocks), task)
    if actions is None:
        raise UnsolvedTaskError(f"the scripted expert did not bring block {task.first} to its place in time")
    return actions


def solve_program(task: FetchProgramTask) -> np.ndarray:
    """Actions (float32 (T, 4)) of the scripted expert by which the program does its work.

    Raises:
        UnsolvedTaskError: The expert did not in the program's time, or the program is none of the paper's for four
            blocks.
    """
    if task.program not in PROGRAMS or task.start.num_blocks != NUM_BLOCKS:
        raise UnsolvedTaskError(f"{task.program} is none of the paper's programs for four blocks, which alone it plays")
    actions = play_program(FetchBlocksSimulation(NUM_BLOCKS), task)
    if actions is None:
        raise UnsolvedTaskError(f"the scripted expert did not finish {task.program} in time from this start")
    return actions

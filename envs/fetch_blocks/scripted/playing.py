"""A task of FetchProgram-v0 played by the scripted expert in the simulation."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.programs import PROGRAMS


def play_expert(simulation: FetchBlocksSimulation, task: FetchProgramTask) -> np.ndarray | None:
    """The expert's actions (float32 (T, 4)) until the program has done its work; ``None`` where time runs out before.

    Args:
        simulation: Of four blocks; it is left where the episode ends.
        task: What to play.
    """
    program = PROGRAMS[task.program]
    simulation.begin(task.start)
    goal = program.goal(simulation.state) if program.is_atomic else None
    expert, actions = Expert(task.program, goal), []
    for _ in range(program.horizon):
        actions.append(expert.act(simulation.state))
        if program.postcondition(simulation.step(actions[-1]), goal):
            return np.array(actions)
    return None

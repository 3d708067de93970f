"""Tasks of both environments of the arm, played by the scripted expert in the simulation."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.settling import standing_state
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchProgramTask
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, goal_reached


def play_program(simulation: FetchBlocksSimulation, task: FetchProgramTask) -> np.ndarray | None:
    """The expert's actions (float32 (T, 4)) until the program has done its work, when a call's steps are over.

    ``None`` where time runs out before, or what has been done does not last (``stands``).

    Args:
        simulation: Of four blocks; it is left where the episode ends.
        task: What to play, one of the paper's programs.

    Raises:
        UnsolvedTaskError: The expert has no plan for the program, or its goal is not over the table.
    """
    program = PROGRAMS[task.program]
    simulation.begin(task.start)
    goal = program.goal(simulation.state) if program.is_atomic else None
    expert = Expert(program, goal)
    actions: list[np.ndarray] = []
    while len(actions) < program.horizon:
        actions.append(expert.act(simulation.state))
        simulation.step(actions[-1])
        if len(actions) % ATOMIC_STEPS == 0 and program.postcondition(simulation.state, goal):
            return np.array(actions) if program.postcondition(standing_state(simulation), goal) else None
    return None


def play_carrying(simulation: FetchBlocksSimulation, task: FetchBlocksTask) -> np.ndarray | None:
    """The expert's actions (float32 (T, 4)) until every block is where it is desired; ``None`` where time runs out
    before. It moves the block to act on alone.

    Args:
        simulation: Of the task's number of blocks; it is left where the episode ends.
        task: What to play.
    """
    simulation.begin(task.start, task.mass, task.friction)
    carrying, actions = Carrying(task.first, task.goal[task.first]), []
    for _ in range(ATOMIC_STEPS):
        actions.append(carrying.act(simulation.state).astype(np.float32))
        simulation.step(actions[-1])
        if goal_reached(simulation.positions.ravel(), task.goal.ravel()):
            return np.array(actions)
    return None

"""Tasks of both environments of the arm, played by the scripted expert in the simulation."""

from collections.abc import Callable

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchProgramTask
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, goal_reached


def play_program(simulation: FetchBlocksSimulation, task: FetchProgramTask) -> np.ndarray | None:
    """The expert's actions (float32 (T, 4)) until the program has done its work; ``None`` where time runs out before.

    Args:
        simulation: Of four blocks; it is left where the episode ends.
        task: What to play.
    """
    program = PROGRAMS[task.program]
    simulation.begin(task.start)
    goal = program.goal(simulation.state) if program.is_atomic else None
    expert = Expert(task.program, goal)
    return _play(simulation, expert.act, lambda state: bool(program.postcondition(state, goal)), program.horizon)


def play_carrying(simulation: FetchBlocksSimulation, task: FetchBlocksTask) -> np.ndarray | None:
    """The expert's actions (float32 (T, 4)) until every block is where it is desired; ``None`` where time runs out
    before. It moves the block to act on alone.

    Args:
        simulation: Of the task's number of blocks; it is left where the episode ends.
        task: What to play.
    """
    simulation.begin(task.start)
    carrying = Carrying(task.first, task.goal[task.first])
    desired = task.goal.ravel()
    return _play(
        simulation, carrying.act, lambda _: bool(goal_reached(simulation.positions.ravel(), desired)), ATOMIC_STEPS
    )


def _play(
    simulation: FetchBlocksSimulation,
    act: Callable[[np.ndarray], np.ndarray],
    is_done: Callable[[np.ndarray], bool],
    most_steps: int,
) -> np.ndarray | None:
    actions = []
    for _ in range(most_steps):
        actions.append(act(simulation.state).astype(np.float32))
        if is_done(simulation.step(actions[-1])):
            return np.array(actions)
    return None

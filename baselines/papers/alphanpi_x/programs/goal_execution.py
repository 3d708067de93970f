"""Programs that call others, played by a policy for goals alone: AlphaNPI-X's multitask rivals (section 5)."""

from collections.abc import Sequence

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.composed_goals import composed_goal
from procgen_bench.baselines.papers.alphanpi_x.programs.execution import CAPS, Executed, Execution
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.programs import ATOMIC_STEPS, ProgramLibrary
from procgen_bench.tasks.programs.states import block_positions


def execute_goals(policy: BlockPolicy, library: ProgramLibrary, tasks: Sequence[FetchProgramTask]) -> list[Executed]:
    """Play tasks of programs that call others, side by side, towards the goal that each has at its start.

    A program is given the steps of its most atomic calls, and twice as many; it cannot stop. A start whose goal no plan
    finds is played to where its blocks are.

    Args:
        policy: For four blocks; it is shown block 0 first.
        library: The paper's programs.
        tasks: What to play.
    """
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    simulations = [FetchBlocksSimulation(library.num_blocks) for _ in tasks]
    rows = [Execution(library, library[task.program]) for task in tasks]
    goals = []
    for simulation, task in zip(simulations, tasks):
        simulation.begin(task.start)
        goal = composed_goal(library[task.program], simulation.state)
        goals.append(block_positions(simulation.state).ravel() if goal is None else goal)
    desired = torch.as_tensor(np.array(goals), dtype=torch.float32)
    longest = max(CAPS) * max(library[task.program].most_atomic_calls for task in tasks)
    for step in range(longest * ATOMIC_STEPS):
        active = [number for number, row in enumerate(rows) if not row.over]
        states = np.stack([simulations[number].state for number in active])
        with torch.inference_mode():
            shown = {"observation": torch.as_tensor(states, dtype=torch.float32), "desired_goal": desired[active]}
            actions = policy.network(shown).numpy()
        for number, action in zip(active, actions, strict=True):
            simulations[number].step(action)
            if (step + 1) % ATOMIC_STEPS == 0:
                rows[number].note(simulations[number], kept=False, released=False)
    return [row.executed([]) for row in rows]

"""Settling: what is left of the blocks' places when the gripper lets go and nothing moves any more."""

import numpy as np

from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

#: Actions in which the fingers open all the way, and in which nothing is asked of the arm after that.
OPENING_STEPS, IDLE_STEPS = 2, 20


def settled_state(simulation: FetchBlocksSimulation) -> np.ndarray:
    """The state, float64 (15 N + 10,), that the simulation would reach if the gripper were opened now and left alone.

    The simulation stays as it is, bit for bit.

    Raises:
        DivergedError: The physics diverged on the way.
    """
    saved, idle = simulation.save(), np.zeros(simulation.action_size)
    opening = idle.copy()
    opening[-1] = 1.0
    try:
        for action in (*[opening] * OPENING_STEPS, *[idle] * IDLE_STEPS):
            simulation.step(action)
        return simulation.state.copy()
    finally:
        simulation.load(saved)

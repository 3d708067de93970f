"""What is left of the blocks' places when the gripper lets go: opened where it is, or opened and gone."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

#: Actions in which the fingers open all the way, and in which nothing is asked of the arm after that.
OPENING_STEPS, IDLE_STEPS = 2, 20
_IDLE = np.zeros(FetchBlocksSimulation.action_size)
#: How the hand leaves: it stops pressing on what it holds, opens without a jolt, and rises clear of all blocks. A hand
#: that opens while it presses, or rises while it opens, takes blocks along with a finger in every second tower.
_UNLOAD, _OPEN, _RISE = (np.array(action) for action in ((0, 0, 0.2, 0), (0, 0, 0, 0.05), (0, 0, 0.3, 0.05)))
LEAVING = (*[_UNLOAD] * 3, *[_OPEN] * 4, *[_RISE] * 10)


def settled_state(simulation: FetchBlocksSimulation) -> np.ndarray:
    """The state, float64 (15 N + 10,), that the simulation would reach if the gripper were opened now and left alone.

    The simulation stays as it is, bit for bit.

    Raises:
        DivergedError: The physics diverged on the way.
    """
    idle = np.zeros(simulation.action_size)
    opening = idle.copy()
    opening[-1] = 1.0
    return _state_after(simulation, (*[opening] * OPENING_STEPS, *[idle] * IDLE_STEPS))


def standing_state(simulation: FetchBlocksSimulation) -> np.ndarray:
    """The state, float64 (15 N + 10,), that the simulation would reach if the hand let go now and went away.

    The hand stops pressing, opens, rises clear of the blocks and stays there. The simulation stays as it is, bit for
    bit.

    Raises:
        DivergedError: The physics diverged on the way.
    """
    return _state_after(simulation.led(), (*LEAVING, *[_IDLE] * IDLE_STEPS))


def _state_after(simulation: FetchBlocksSimulation, actions: Sequence[np.ndarray]) -> np.ndarray:
    saved = simulation.save()
    try:
        for action in actions:
            simulation.step(action)
        return simulation.state.copy()
    finally:
        simulation.load(saved)

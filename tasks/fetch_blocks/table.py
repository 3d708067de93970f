"""What the arm of FetchBlocks reaches of the table, and what has room where, in metres.

The blocks' size, their colours, the zones and the arm's reach are those of :mod:`procgen_bench.tasks.programs.zones`.
"""

import numpy as np

from procgen_bench.tasks.programs.zones import BLOCK_RADIUS, PLACE_CLEARANCE, RESTING_HEIGHT

#: Numbers of blocks that the environments can have.
LEAST_BLOCKS, MOST_BLOCKS = 2, 6

#: Least and greatest height of the gripper when an episode begins.
GRIPPER_LOW, GRIPPER_HIGH = 0.45, 0.75
#: Greatest height of a desired place that a task space has.
GOAL_HIGH = 0.7

#: What is near the gripper: how far along x and y a block's centre can be from it and still be under the hand.
HAND_EXTENTS = np.array([0.08, 0.11])
#: How far above the top of a stack near it the gripper stays: the fingers reach 0.0185 below it, a held block 0.025.
HAND_CLEARANCE = 0.03


def height(level: int | np.ndarray) -> float | np.ndarray:
    """Height, metres, of the centre of a block with ``level`` blocks beneath it: a float, or float64 (...) for ints
    (...)."""
    return RESTING_HEIGHT + 2 * BLOCK_RADIUS * level


def apart(place: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether blocks at ``place``, float64 (2,), and at ``others``, float64 (..., 2), metres, leave the fingers room
    between them: bool (...)."""
    return (np.abs(others - place) >= PLACE_CLEARANCE).any(axis=-1)


def least_gripper_height(gripper: np.ndarray, places: np.ndarray, levels: np.ndarray) -> float:
    """How low the gripper may be (metres) above its own x and y, the first two of ``gripper`` (float64), with blocks at
    ``places``, float64 (N, 2), of ``levels``, int8 (N,)."""
    near = (np.abs(places - gripper[:2]) < HAND_EXTENTS).all(axis=1)
    tops = height(levels[near].astype(np.int64)) + BLOCK_RADIUS + HAND_CLEARANCE
    return max([GRIPPER_LOW, *np.asarray(tops).tolist()])

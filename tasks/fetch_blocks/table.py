"""The table of FetchBlocks: what the arm reaches, how high blocks lie, and what goes where, in metres."""

import numpy as np

#: Numbers of blocks that the environments can have.
LEAST_BLOCKS, MOST_BLOCKS = 2, 6
#: Colours of the blocks, by their index.
BLOCK_COLOURS = ("orange", "orange", "blue", "blue", "orange", "blue")

#: Half the side of a block: the paper's block radius.
BLOCK_RADIUS = 0.025
#: Height of the table's top, and of the centre of a block that lies on it.
TABLE_HEIGHT = 0.4
REST_HEIGHT = TABLE_HEIGHT + BLOCK_RADIUS

#: The part of the table that the arm reaches with its gripper upright: least and greatest x and y.
#: (The table itself is 0.5 by 0.7 round the same centre; towards its far corners the hand tilts by up to 20 degrees.)
REACH_LOW, REACH_HIGH = np.array([1.15, 0.45]), np.array([1.45, 1.05])
#: Least and greatest height of the gripper when an episode begins.
GRIPPER_LOW, GRIPPER_HIGH = 0.45, 0.75
#: Greatest height of a desired position.
GOAL_HIGH = 0.7

#: Least distance between the centres of blocks that stand beside each other, along x or along y: a block's side, and
#: room for a finger.
SPACING = 0.07
#: What is near the gripper: half the extents along x and y within which the hand is above the centre of a block.
HAND_EXTENTS = np.array([0.08, 0.11])
#: How far above the top of a stack near it the gripper's centre stays: the fingers reach 0.0185 below it, a block that
#: it holds 0.025.
HAND_CLEARANCE = 0.03


def height(level: int | np.ndarray) -> float | np.ndarray:
    """Height of the centre of a block with ``level`` blocks beneath it."""
    return REST_HEIGHT + 2 * BLOCK_RADIUS * level


def apart(place: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether a block at ``place`` (x, y) has room beside those at ``others`` (..., 2): bool (...)."""
    return np.abs(others - place).max(axis=-1) >= SPACING


def least_gripper_height(gripper: np.ndarray, places: np.ndarray, levels: np.ndarray) -> float:
    """How low the gripper may be above its own x and y, with blocks at ``places`` (N, 2) of ``levels`` (N,)."""
    near = (np.abs(places - gripper[:2]) < HAND_EXTENTS).all(axis=1)
    tops = height(levels[near]) + BLOCK_RADIUS + HAND_CLEARANCE
    return max(GRIPPER_LOW, *tops.tolist()) if len(tops) else GRIPPER_LOW

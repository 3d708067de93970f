"""The numbers of a state: 15 for each block, then 10 of the gripper, and the circular orders that they are seen in.

Of a block: position (3), rotation (3), position from the gripper (3), velocity from the gripper's (3), turning (3). Of
the gripper: position (3), displacements of the fingers (2), velocity (3), velocities of the fingers (2).
"""

import numpy as np

#: Numbers of a state per block, and of the gripper after them.
BLOCK_NUMBERS, GRIPPER_NUMBERS = 15, 10


def state_size(num_blocks: int) -> int:
    """Numbers of a state."""
    return BLOCK_NUMBERS * num_blocks + GRIPPER_NUMBERS


def circular_order(num_blocks: int, first: int) -> np.ndarray:
    """Indices of the blocks, beginning with ``first`` and going round: int64 (N,)."""
    return (np.arange(num_blocks) + first) % num_blocks


def state_places(num_blocks: int, first: int) -> np.ndarray:
    """Where, in a state whose blocks are in the order of their indices, the numbers are that make it begin with block
    ``first``: ``state[..., state_places(N, first)]``, int64 (15 N + 10,)."""
    of_blocks = BLOCK_NUMBERS * circular_order(num_blocks, first)[:, np.newaxis] + np.arange(BLOCK_NUMBERS)
    return np.concatenate([of_blocks.ravel(), BLOCK_NUMBERS * num_blocks + np.arange(GRIPPER_NUMBERS)])


def position_places(num_blocks: int, first: int = 0) -> np.ndarray:
    """Where, in such a state, the blocks' positions are, in the order that begins with ``first``: int64 (3 N,)."""
    return (BLOCK_NUMBERS * circular_order(num_blocks, first)[:, np.newaxis] + np.arange(3)).ravel()

"""How the numbers of a state are laid out: 15 of every block, then 10 of the gripper.

A state of N blocks has 15 N + 10 numbers, 70 for the four blocks of the programs. Block ``k``'s begin at column 15 k:

| columns of a block | meaning                                                              |
|--------------------|----------------------------------------------------------------------|
| 0 to 2             | position of its centre, metres                                       |
| 3 to 5             | rotation, Euler angles, radians                                      |
| 6 to 8             | position from the gripper                                            |
| 9 to 11            | linear velocity, from the gripper's                                  |
| 12 to 14           | angular velocity                                                     |

The gripper's begin at column 15 N: its position (3), the positions of both fingers (2), its velocity (3), and the
velocities of both fingers (2). Programs take states in the canonical order, block 0 first. Where a policy acts on
block ``k``, the blocks are permuted in a circle, so that it comes first: then k + 1, ..., N - 1, 0, ..., k - 1.
"""

import numpy as np

from procgen_bench.core.errors import InvalidTaskError

BLOCK_SIZE, GRIPPER_SIZE = 15, 10
#: Columns of a block's numbers.
POSITION, ROTATION, RELATIVE_POSITION = slice(0, 3), slice(3, 6), slice(6, 9)
LINEAR_VELOCITY, ANGULAR_VELOCITY = slice(9, 12), slice(12, 15)
#: Columns of the gripper's numbers.
GRIPPER_POSITION, FINGER_POSITIONS = slice(0, 3), slice(3, 5)
GRIPPER_VELOCITY, FINGER_VELOCITIES = slice(5, 8), slice(8, 10)

#: Blocks of the programs, and the lengths of their states and goals.
NUM_BLOCKS = 4
STATE_SIZE, GOAL_SIZE = BLOCK_SIZE * NUM_BLOCKS + GRIPPER_SIZE, 3 * NUM_BLOCKS


def split(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The blocks' numbers (..., N, 15) and the gripper's (..., 10) of float64 states (..., 15 N + 10); views where
    possible."""
    blocks, gripper = states[..., :-GRIPPER_SIZE], states[..., -GRIPPER_SIZE:]
    return blocks.reshape(*states.shape[:-1], -1, BLOCK_SIZE), gripper


def joined(blocks: np.ndarray, gripper: np.ndarray) -> np.ndarray:
    """The states, float64 (..., 15 N + 10), of blocks' numbers (..., N, 15) and the gripper's (..., 10)."""
    return np.concatenate([blocks.reshape(*gripper.shape[:-1], -1), gripper], axis=-1)


def block_positions(states: np.ndarray) -> np.ndarray:
    """The blocks' centres, float64 (..., N, 3), metres; flattened to (..., 3 N) they are the goal that ``states``,
    float64 (..., 15 N + 10), have achieved."""
    return split(states)[0][..., POSITION]


def with_block_first(states: np.ndarray, block: int) -> np.ndarray:
    """States, float64 (..., 15 N + 10), in the canonical order -> with ``block`` first, permuted in a circle."""
    blocks, gripper = split(states)
    return joined(np.roll(blocks, -block, axis=-2), gripper)


def goals_with_block_first(goals: np.ndarray, block: int) -> np.ndarray:
    """Goals, float64 (..., 3 N), in the canonical order -> with ``block`` first, permuted in a circle."""
    return np.roll(goals, -3 * block, axis=-1)


def number_rows(name: str, values: np.ndarray, size: int) -> np.ndarray:
    """``values``, numbers of any dtype, (..., size), as float64, contiguous.

    Raises:
        InvalidTaskError: They are none; ``name`` says what they were given as.
    """
    try:
        array = np.ascontiguousarray(values, np.float64) if np.ndim(values) else None
    except (TypeError, ValueError):
        array = None
    if array is None or array.shape[-1] != size:
        found = values if array is None else array.shape
        raise InvalidTaskError(f"{name}'{'' if name.endswith('s') else 's'} shape", found, f"numbers (..., {size})")
    return array

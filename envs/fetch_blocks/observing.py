"""The 15 N + 10 numbers of a state, as FetchEnv's observations have them, compiled."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.states import BLOCK_SIZE

#: Below this the rotation about y is a quarter turn, and those about x and z are one: gymnasium-robotics' threshold.
_QUARTER_TURN = np.finfo(np.float64).eps * 4.0


@njit
def write_state(state, positions, rotations, velocities, gripper, jacobian, speeds, fingers, finger_speeds, seconds):
    """Write a state, blocks in the order of their indices; returns whether all of it is finite numbers.

    Args:
        state: float64 (15 N + 10,), written.
        positions: float64 (N, 3), the blocks' centres.
        rotations: float64 (N, 9), their rotation matrices.
        velocities: float64 (N, 6), their velocities along the world's axes, and their turning about their own.
        gripper: float64 (3,), the gripper's place.
        jacobian: float64 (3, V), its velocity by those of all joints.
        speeds: float64 (V,), the joints' velocities.
        fingers, finger_speeds: float64 (2,), of the right finger and the left one.
        seconds: The time over which velocities are given: FetchEnv's are displacements in one action.
    """
    last = BLOCK_SIZE * len(positions)
    for axis in range(3):
        velocity = 0.0
        for joint in range(len(speeds)):
            velocity += jacobian[axis, joint] * speeds[joint]
        state[last + axis] = gripper[axis]
        state[last + 5 + axis] = velocity * seconds
    for finger in range(2):
        state[last + 3 + finger] = fingers[finger]
        state[last + 8 + finger] = finger_speeds[finger] * seconds
    for block in range(len(positions)):
        first = BLOCK_SIZE * block
        turn = rotations[block]
        write_angles(state[first + 3 : first + 6], turn)
        for axis in range(3):
            turning = 0.0
            for own in range(3):
                turning += turn[3 * axis + own] * velocities[block, 3 + own]
            state[first + axis] = positions[block, axis]
            state[first + 6 + axis] = positions[block, axis] - gripper[axis]
            state[first + 9 + axis] = velocities[block, axis] * seconds - state[last + 5 + axis]
            state[first + 12 + axis] = turning * seconds
    nothing = 0.0
    for number in state:
        nothing += 0.0 * number  # of what is not finite, that is no number
    return nothing == 0.0


@njit
def write_angles(angles, matrix):
    """The angles (float64 (3,), radians) of a rotation matrix (float64 (9,)), in gymnasium-robotics' convention."""
    flat = math.sqrt(matrix[8] * matrix[8] + matrix[5] * matrix[5])
    angles[1] = -math.atan2(-matrix[2], flat)
    if flat > _QUARTER_TURN:
        angles[0] = -math.atan2(matrix[5], matrix[8])
        angles[2] = -math.atan2(matrix[1], matrix[0])
    else:
        angles[0] = 0.0
        angles[2] = -math.atan2(-matrix[3], matrix[4])

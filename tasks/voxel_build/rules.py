"""VoxelBuild's compiled rules: what an action does to the arena, the agent's pose and its inventory.

The arena (uint8 (side, side, 3), indexed [y, x, z]) lies on solid ground that goes on beyond it. Blocks stand in its
cells only. The agent fills the cell of its feet and the one above; its eye is 1.62 above its feet, in the middle of the
cell, and looks along its heading at one of seven pitches.
"""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.voxel_build.actions import (
    BREAK,
    JUMP_FORWARD,
    JUMP_PLACE,
    LOOK_DOWN,
    LOOK_UP,
    MOVE_FORWARD,
    PLACE,
    TURN_LEFT,
    TURN_ROUND,
)
from procgen_bench.tasks.voxel_build.task import EMPTY, HEADINGS, LAYERS, MATERIALS

#: Entries of a pose (int64): the cell of the agent's feet, its heading (0 to 3) and the index of its pitch.
X, Y, Z, HEADING, PITCH = range(5)

#: Steps in x and y by heading: north, east, south, west.
STEPS = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], np.int64)
#: Right turns from the heading to the direction of each move, and that each turn makes.
_MOVE_TURNS = np.array([0, 2, 3, 1], np.int64)
_TURNS = np.array([3, 1, 2], np.int64)

#: Degrees above the horizon by index. At 50 degrees down, the ground of the next cell is looked at, and then the top of
#: a block put there: two blocks are stacked without another look.
PITCHES = (-90, -50, -25, 0, 25, 50, 90)
LEVEL = PITCHES.index(0)
#: Their cosines and sines, to six digits, so that no machine's own rounding enters the rules.
COSINES = np.array([0.0, 0.642788, 0.906308, 1.0, 0.906308, 0.642788, 0.0])
SINES = np.array([-1.0, -0.766044, -0.422618, 0.0, 0.422618, 0.766044, 1.0])

#: Height of the eye above the feet, and how far from it faces can be reached (Minecraft's).
EYE_HEIGHT, REACH = 1.62, 4.5
#: Blocks of each type at the start.
INVENTORY = 64


def pose_space(side: int) -> spaces.Box:
    """Poses as agents observe them, int8 (5,). From outside of the bounds of x and y no cell is in reach."""
    low = np.array([-side, -side, 0, 0, 0], np.int8)
    high = np.array([2 * side - 1, 2 * side - 1, LAYERS, len(HEADINGS) - 1, len(PITCHES) - 1], np.int8)
    return spaces.Box(low, high, dtype=np.int8)


_HEADINGS, _LAST_PITCH = len(STEPS), len(PITCHES) - 1
_MATERIALS = len(MATERIALS)
_GROUND = -1
_FAR = np.inf


@njit
def act(arena, pose, inventory, action):
    """Carry out ``action``, in place; returns whether that changed anything.

    What cannot be done is not done: a move into a block, a placement without a face in reach.
    """
    if MOVE_FORWARD <= action < TURN_LEFT:
        jump = 1 if action >= JUMP_FORWARD else 0
        return _move(arena, pose, _MOVE_TURNS[action - (JUMP_FORWARD if jump else MOVE_FORWARD)], jump)
    if TURN_LEFT <= action <= TURN_ROUND:
        pose[HEADING] = (pose[HEADING] + _TURNS[action - TURN_LEFT]) % _HEADINGS
        return True
    if action == LOOK_UP and pose[PITCH] < _LAST_PITCH:
        pose[PITCH] += 1
        return True
    if action == LOOK_DOWN and pose[PITCH] > 0:
        pose[PITCH] -= 1
        return True
    if PLACE <= action < JUMP_PLACE:
        return _place(arena, pose, inventory, 1 + action - PLACE, 0)
    if JUMP_PLACE <= action < JUMP_PLACE + _MATERIALS:
        return _place(arena, pose, inventory, 1 + action - JUMP_PLACE, 1)
    if action == BREAK:
        return _break(arena, pose, inventory)
    return False


@njit
def is_solid(arena, x, y, z):
    """Whether a cell is the ground's or a block's."""
    return z <= _GROUND or (_is_inside(arena, x, y, z) and arena[y, x, z] != EMPTY)


@njit
def face_looked_at(arena, pose, feet):
    """The face that the agent looks at with its feet at height ``feet``: the first that its line of sight meets.

    Returns:
        Whether one is in reach; the cell that it belongs to, and the free cell before it, each as its number of cells
        ahead of the agent's and its z (-1: the ground).
    """
    step_x, step_y = STEPS[pose[HEADING], 0], STEPS[pose[HEADING], 1]
    run, rise = COSINES[pose[PITCH]], SINES[pose[PITCH]]
    ahead, z = 0, feet + 1
    above_floor = EYE_HEIGHT - 1.0
    # Lengths along the line of sight: up to the next cell ahead and the next above or below, and from one to another.
    to_ahead, per_ahead = (0.5 / run, 1.0 / run) if run > 0.0 else (_FAR, _FAR)
    if rise == 0.0:
        to_layer, per_layer = _FAR, _FAR
    else:
        to_layer, per_layer = ((1.0 - above_floor) if rise > 0.0 else above_floor) / abs(rise), 1.0 / abs(rise)
    while True:
        last_ahead, last_z = ahead, z
        if to_ahead < to_layer:
            length = to_ahead
            to_ahead += per_ahead
            ahead += 1
        else:
            length = to_layer
            to_layer += per_layer
            z += 1 if rise > 0.0 else -1
        if length > REACH:
            return False, ahead, z, last_ahead, last_z
        if is_solid(arena, pose[X] + ahead * step_x, pose[Y] + ahead * step_y, z):
            return True, ahead, z, last_ahead, last_z


@njit
def _is_inside(arena, x, y, z):
    return 0 <= x < arena.shape[1] and 0 <= y < arena.shape[0] and 0 <= z < LAYERS


@njit
def _move(arena, pose, turns, jump):
    """One cell in the direction ``turns`` right of the heading, from one higher if ``jump``; then down to a support."""
    direction = (pose[HEADING] + turns) % _HEADINGS
    x, y, z = pose[X] + STEPS[direction, 0], pose[Y] + STEPS[direction, 1], pose[Z] + jump
    if jump == 1 and is_solid(arena, pose[X], pose[Y], pose[Z] + 2):
        return False
    if is_solid(arena, x, y, z) or is_solid(arena, x, y, z + 1):
        return False
    pose[X], pose[Y] = x, y
    pose[Z] = _support(arena, x, y, z)
    return True


@njit
def _place(arena, pose, inventory, material, jump):
    """A block in the free cell before the face looked at, from one higher if ``jump``; then down to a support."""
    if inventory[material - 1] == 0 or (jump == 1 and is_solid(arena, pose[X], pose[Y], pose[Z] + 2)):
        return False
    feet = pose[Z] + jump
    found, _, _, ahead, z = face_looked_at(arena, pose, feet)
    x, y = pose[X] + ahead * STEPS[pose[HEADING], 0], pose[Y] + ahead * STEPS[pose[HEADING], 1]
    if not found or not _is_inside(arena, x, y, z) or (ahead == 0 and z >= feet):  # the last: where the agent itself is
        return False
    arena[y, x, z] = material
    inventory[material - 1] -= 1
    pose[Z] = _support(arena, pose[X], pose[Y], feet)
    return True


@njit
def _break(arena, pose, inventory):
    """The block looked at back into the inventory; an agent that stood on it falls."""
    found, ahead, z, _, _ = face_looked_at(arena, pose, pose[Z])
    if not found or z == _GROUND:
        return False
    x, y = pose[X] + ahead * STEPS[pose[HEADING], 0], pose[Y] + ahead * STEPS[pose[HEADING], 1]
    inventory[arena[y, x, z] - 1] += 1
    arena[y, x, z] = EMPTY
    pose[Z] = _support(arena, pose[X], pose[Y], pose[Z])
    return True


@njit
def _support(arena, x, y, z):
    """The height at which something that falls from ``z`` lands."""
    while not is_solid(arena, x, y, z - 1):
        z -= 1
    return z

"""What holds between the blocks of one state, compiled: stacked, clear, supported, in a zone, a free place.

A state is a row of float64 (:mod:`procgen_bench.tasks.programs.states`) of any number of blocks; blocks and zones are
numbers. They are what programs' conditions are made of, the user's own as well.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE
from procgen_bench.tasks.programs.zones import (
    BLOCK_RADIUS,
    DISTANCE_THRESHOLD,
    PLACE_CLEARANCE,
    REACH_HIGH,
    REACH_LOW,
    RESTING_HEIGHT,
    ZONE_CENTRES,
    ZONE_HALF_SIDES,
    ZONE_PLACES,
)

_CLEARANCE_X, _CLEARANCE_Y = PLACE_CLEARANCE
_NO_PLACE = -1


@njit
def num_blocks(state):
    """Number of blocks of the state."""
    return (state.shape[0] - GRIPPER_SIZE) // BLOCK_SIZE


@njit
def is_stacked(state, upper, lower):
    """Whether block ``upper`` is in the sphere round its ideal place on block ``lower``, twice the radius above it.

    The sphere just holds the place two blocks higher: what is nearer to that one is on another block.
    """
    here, below = BLOCK_SIZE * upper, BLOCK_SIZE * lower
    dx, dy = state[here] - state[below], state[here + 1] - state[below + 1]
    if abs(dx) > DISTANCE_THRESHOLD or abs(dy) > DISTANCE_THRESHOLD:  # as nearly always: the root is spared
        return False
    height = state[here + 2] - state[below + 2]
    dz = height - 2 * BLOCK_RADIUS
    return height < 3 * BLOCK_RADIUS and math.sqrt(dx * dx + dy * dy + dz * dz) <= DISTANCE_THRESHOLD


@njit
def is_clear(state, block):
    """Whether no block is stacked on the block."""
    for other in range(num_blocks(state)):  # noqa: SIM110 (Numba compiles no generators)
        if other != block and is_stacked(state, other, block):
            return False
    return True


@njit
def is_supported(state, block):
    """Whether the block is on the table or on another block, to within the threshold, rather than held in the air."""
    if state[BLOCK_SIZE * block + 2] <= RESTING_HEIGHT + DISTANCE_THRESHOLD:
        return True
    for other in range(num_blocks(state)):  # noqa: SIM110 (Numba compiles no generators)
        if other != block and is_stacked(state, block, other):
            return True
    return False


@njit
def is_in_zone(state, block, zone):
    """Whether the block's centre is over the zone, and the block is supported."""
    at = BLOCK_SIZE * block
    dx, dy = abs(state[at] - ZONE_CENTRES[zone, 0]), abs(state[at + 1] - ZONE_CENTRES[zone, 1])
    return max(dx, dy) <= ZONE_HALF_SIDES[zone] and is_supported(state, block)


@njit
def can_move(state, block):
    """Whether nothing is on the block, and the others would stay where they are while it is moved."""
    for other in range(num_blocks(state)):
        if other != block and not is_supported(state, other):
            return False
    return is_clear(state, block)


@njit
def is_within_reach(x, y):
    """Whether the arm can bring a block to a place of the table, metres, with its hand upright."""
    return REACH_LOW[0] <= x <= REACH_HIGH[0] and REACH_LOW[1] <= y <= REACH_HIGH[1]


@njit
def has_room(state, block, x, y):
    """Whether the fingers have room to bring the block to a place, metres, beside all other blocks."""
    for other in range(num_blocks(state)):
        dx, dy = abs(state[BLOCK_SIZE * other] - x), abs(state[BLOCK_SIZE * other + 1] - y)
        if other != block and dx < _CLEARANCE_X and dy < _CLEARANCE_Y:
            return False
    return True


@njit
def free_place(state, block, zone):
    """Number of the first of the zone's places that is free for the block; -1 where none is."""
    for place in range(ZONE_PLACES.shape[1]):
        if has_room(state, block, ZONE_PLACES[zone, place, 0], ZONE_PLACES[zone, place, 1]):
            return place
    return _NO_PLACE


@njit
def write_positions(state, goal):
    """Write the goal (3 N,) that every block is where it is."""
    for block in range(num_blocks(state)):
        for axis in range(3):
            goal[3 * block + axis] = state[BLOCK_SIZE * block + axis]


@njit
def is_met(state, goal):
    """Whether every block is in the sphere round its place in the goal (3 N,), the paper's f(s, g)."""
    for block in range(num_blocks(state)):
        dx = state[BLOCK_SIZE * block] - goal[3 * block]
        dy = state[BLOCK_SIZE * block + 1] - goal[3 * block + 1]
        dz = state[BLOCK_SIZE * block + 2] - goal[3 * block + 2]
        if not math.sqrt(dx * dx + dy * dy + dz * dz) <= DISTANCE_THRESHOLD:
            return False
    return True

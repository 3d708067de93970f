"""What holds between the blocks of one state, compiled: stacked, clear, supported, in a zone, a free place.

A state is a row of numbers (:mod:`procgen_bench.tasks.programs.states`) of float64; blocks and zones are numbers.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.states import BLOCK_SIZE, NUM_BLOCKS
from procgen_bench.tasks.programs.zones import (
    BLOCK_RADIUS,
    DISTANCE_THRESHOLD,
    PLACE_CLEARANCE,
    RESTING_HEIGHT,
    ZONE_CENTRES,
    ZONE_HALF_SIDES,
    ZONE_PLACES,
)

_CLEARANCE_X, _CLEARANCE_Y = PLACE_CLEARANCE
_NO_PLACE = -1


@njit
def is_stacked(state, upper, lower):
    """Whether block ``upper`` is in the sphere round its ideal place on block ``lower``, twice the radius above it.

    The sphere just holds the place two blocks higher: what is nearer to that one is on another block.
    """
    here, below = BLOCK_SIZE * upper, BLOCK_SIZE * lower
    dx, dy, height = state[here] - state[below], state[here + 1] - state[below + 1], state[here + 2] - state[below + 2]
    dz = height - 2 * BLOCK_RADIUS
    return height < 3 * BLOCK_RADIUS and math.sqrt(dx * dx + dy * dy + dz * dz) <= DISTANCE_THRESHOLD


@njit
def is_clear(state, block):
    """Whether no block is stacked on the block."""
    clear = True
    for other in range(NUM_BLOCKS):
        clear = clear and (other == block or not is_stacked(state, other, block))
    return clear


@njit
def is_supported(state, block):
    """Whether the block is on the table or on another block, to within the threshold, rather than held in the air."""
    supported = state[BLOCK_SIZE * block + 2] <= RESTING_HEIGHT + DISTANCE_THRESHOLD
    for other in range(NUM_BLOCKS):
        supported = supported or (other != block and is_stacked(state, block, other))
    return supported


@njit
def is_in_zone(state, block, zone):
    """Whether the block's centre is over the zone, and the block is supported."""
    at = BLOCK_SIZE * block
    dx, dy = abs(state[at] - ZONE_CENTRES[zone, 0]), abs(state[at + 1] - ZONE_CENTRES[zone, 1])
    return max(dx, dy) <= ZONE_HALF_SIDES[zone] and is_supported(state, block)


@njit
def free_place(state, block, zone):
    """Number of the first of the zone's places that is free for the block; -1 where none is."""
    for place in range(ZONE_PLACES.shape[1]):
        is_free = True
        for other in range(NUM_BLOCKS):
            at = BLOCK_SIZE * other
            dx = abs(state[at] - ZONE_PLACES[zone, place, 0])
            dy = abs(state[at + 1] - ZONE_PLACES[zone, place, 1])
            if other != block and dx < _CLEARANCE_X and dy < _CLEARANCE_Y:
                is_free = False
        if is_free:
            return place
    return _NO_PLACE

"""The pre-conditions, goal setters and post-conditions of the paper's programs, of one state each, compiled.

A pre-condition is called with a state (float64 (15 N + 10,)) and the program's arguments (int64). A goal setter is also
given the goal (float64 (3 N,)) that it writes, a post-condition the goal that was set when the program began (zeros
where the program has none). They hold for any number of blocks N.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.relations import (
    can_move,
    free_place,
    is_clear,
    is_in_zone,
    is_met,
    is_stacked,
    is_supported,
    num_blocks,
    write_positions,
)
from procgen_bench.tasks.programs.states import BLOCK_SIZE
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, BLOCK_RADIUS, RESTING_HEIGHT, ZONE_PLACES

#: In the place of a zone: each.
EVERY_ZONE = -1
_COLOURS = np.array(BLOCK_COLOURS)


@njit
def always(state, arguments):
    """Pre-condition of the programs that can be called from anywhere."""
    return True


@njit
def can_stack(state, arguments):
    """Pre-condition of ``Stack``; arguments: the block to move, and the one to stack it on."""
    return can_move(state, arguments[0]) and is_clear(state, arguments[1])


@njit
def can_move_to_zone(state, arguments):
    """Pre-condition of ``Move_To_Zone``; arguments: the block and the zone."""
    return can_move(state, arguments[0]) and free_place(state, arguments[0], arguments[1]) >= 0


@njit
def no_goal(state, arguments, goal):
    """Goal setter of the programs that have none."""
    goal[:] = 0.0


@njit
def set_stack_goal(state, arguments, goal):
    """Goal setter of ``Stack``: the upper block twice the radius above the lower one, all others where they are."""
    upper, lower = arguments[0], arguments[1]
    write_positions(state, goal)
    for axis in range(3):
        goal[3 * upper + axis] = state[BLOCK_SIZE * lower + axis]
    goal[3 * upper + 2] += 2 * BLOCK_RADIUS


@njit
def set_zone_goal(state, arguments, goal):
    """Goal setter of ``Move_To_Zone``: the block on the zone's first free place, all others where they are.

    Where no place is free (the pre-condition does not hold) it is the zone's first place.
    """
    block, zone = arguments[0], arguments[1]
    write_positions(state, goal)
    place = max(free_place(state, block, zone), 0)
    goal[3 * block] = ZONE_PLACES[zone, place, 0]
    goal[3 * block + 1] = ZONE_PLACES[zone, place, 1]
    goal[3 * block + 2] = RESTING_HEIGHT


@njit
def goal_is_met(state, arguments, goal):
    """Post-condition of atomic programs: all blocks are where the goal has them."""
    return is_met(state, goal)


@njit
def all_in_zones(state, arguments, goal):
    """Post-condition of ``Move_All_To_Zone`` and ``Clean_Table``: all blocks of the zone's colour are in it.

    Arguments: the zone, or ``EVERY_ZONE``.
    """
    for block in range(num_blocks(state)):
        colour = _COLOURS[block]
        if (arguments[0] == EVERY_ZONE or arguments[0] == colour) and not is_in_zone(state, block, colour):
            return False
    return True


@njit
def all_stacked_in_zones(state, arguments, goal):
    """Post-condition of ``Stack_All_To_Zone`` and ``Clean_And_Stack``: the blocks of the zone's colour are one stack
    whose lowest is in the zone.

    Arguments: the zone, or ``EVERY_ZONE``.
    """
    for zone in range(ZONE_PLACES.shape[0]):
        if arguments[0] == EVERY_ZONE or arguments[0] == zone:
            lowest = _foot_of_tower(state, zone)
            if lowest == _NO_TOWER or (lowest >= 0 and not is_in_zone(state, lowest, zone)):
                return False
    return True


@njit
def all_stacked(state, arguments, goal):
    """Post-condition of ``Stack_All_Blocks``: all blocks are one stack, whose lowest is supported."""
    lowest = _foot_of_tower(state, EVERY_ZONE)
    return lowest != _NO_TOWER and is_supported(state, lowest)


_NO_BLOCKS, _NO_TOWER = -1, -2


@njit
def _foot_of_tower(state, zone):
    """The lowest of the blocks of a zone's colour (or of all), where these are stacked one on the other.

    Each that is stacked is higher than what bears it: from the lowest on, the next one is the next higher one.
    """
    lowest = upper = _next_higher(state, zone, _NO_BLOCKS)
    while upper >= 0:
        lower, upper = upper, _next_higher(state, zone, upper)
        if upper >= 0 and not is_stacked(state, upper, lower):
            return _NO_TOWER
    return lowest


@njit
def _next_higher(state, zone, block):
    """The lowest of the blocks of the zone's colour (or of all) above ``block``; equally high ones by their numbers."""
    found = _NO_BLOCKS
    for other in range(num_blocks(state)):
        if zone == EVERY_ZONE or _COLOURS[other] == zone:
            is_above = block < 0 or _is_below(state, block, other)
            if is_above and (found < 0 or _is_below(state, other, found)):
                found = other
    return found


@njit
def _is_below(state, one, other):
    z_one, z_other = state[BLOCK_SIZE * one + 2], state[BLOCK_SIZE * other + 2]
    return z_one < z_other or (z_one == z_other and one < other)

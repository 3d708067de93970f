"""The programs' pre-conditions, post-conditions and goal setters over batches of states, compiled.

Every kernel reads states (float64 (N, 70)) and writes one result per state: bool (N,), or goals float64 (N, 12).
"""

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs.relations import (
    free_place,
    is_clear,
    is_in_zone,
    is_stacked,
    is_supported,
)
from procgen_bench.tasks.programs.states import BLOCK_SIZE, NUM_BLOCKS
from procgen_bench.tasks.programs.zones import BLOCK_RADIUS, RESTING_HEIGHT, ZONE_PLACES


@njit
def _can_move(state, block):
    """Whether nothing is on the block, and the others would stay where they are while it is moved."""
    can = is_clear(state, block)
    for other in range(NUM_BLOCKS):
        can = can and (other == block or is_supported(state, other))
    return can


@njit
def _write_positions(state, goal):
    """The goal that every block is where it is."""
    for block in range(NUM_BLOCKS):
        for axis in range(3):
            goal[3 * block + axis] = state[BLOCK_SIZE * block + axis]


@njit
def always(states, results):
    """Pre-condition of the programs that can be called from anywhere."""
    for i in range(states.shape[0]):
        results[i] = True


@njit
def can_stack(states, upper, lower, results):
    """Pre-condition of ``Stack``."""
    for i in range(states.shape[0]):
        results[i] = _can_move(states[i], upper) and is_clear(states[i], lower)


@njit
def set_stack_goals(states, upper, lower, goals):
    """Goal setter of ``Stack``: the upper block twice the radius above the lower one, all others where they are."""
    for i in range(states.shape[0]):
        _write_positions(states[i], goals[i])
        for axis in range(3):
            goals[i, 3 * upper + axis] = states[i, BLOCK_SIZE * lower + axis]
        goals[i, 3 * upper + 2] += 2 * BLOCK_RADIUS


@njit
def can_move_to_zone(states, block, zone, results):
    """Pre-condition of ``Move_To_Zone``."""
    for i in range(states.shape[0]):
        results[i] = _can_move(states[i], block) and free_place(states[i], block, zone) >= 0


@njit
def set_zone_goals(states, block, zone, goals):
    """Goal setter of ``Move_To_Zone``: the block on the zone's first free place, all others where they are.

    Where no place is free (the pre-condition does not hold) it is the zone's first place.
    """
    for i in range(states.shape[0]):
        _write_positions(states[i], goals[i])
        place = max(free_place(states[i], block, zone), 0)
        goals[i, 3 * block] = ZONE_PLACES[zone, place, 0]
        goals[i, 3 * block + 1] = ZONE_PLACES[zone, place, 1]
        goals[i, 3 * block + 2] = RESTING_HEIGHT


@njit
def all_in_zones(states, blocks, zones, results):
    """Post-condition of ``Move_All_To_Zone`` and ``Clean_Table``: every one of ``blocks`` is in its zone."""
    for i in range(states.shape[0]):
        results[i] = True
        for k in range(blocks.shape[0]):
            if not is_in_zone(states[i], blocks[k], zones[k]):
                results[i] = False


@njit
def pairs_stacked_in_zones(states, pairs, zones, results):
    """Post-condition of ``Stack_All_To_Zone`` and ``Clean_And_Stack``: of every pair, one is in the zone and the other
    is stacked on it."""
    for i in range(states.shape[0]):
        results[i] = True
        for k in range(pairs.shape[0]):
            one, other = pairs[k]
            one_below = is_in_zone(states[i], one, zones[k]) and is_stacked(states[i], other, one)
            other_below = is_in_zone(states[i], other, zones[k]) and is_stacked(states[i], one, other)
            if not (one_below or other_below):
                results[i] = False


@njit
def all_stacked(states, orders, results):
    """Post-condition of ``Stack_All_Blocks``: in one of ``orders`` (K, 4), from below, each is stacked on the one
    before, and the first is supported."""
    for i in range(states.shape[0]):
        results[i] = False
        for k in range(orders.shape[0]):
            is_tower = is_supported(states[i], orders[k, 0])
            for place in range(1, NUM_BLOCKS):
                is_tower = is_tower and is_stacked(states[i], orders[k, place], orders[k, place - 1])
            if is_tower:
                results[i] = True
                break

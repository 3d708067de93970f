"""The compiled motion rule, on plain numbers: the caller loads the cells, so that no array is handed over.

The agent moves along a straight line. Where the line meets a wall, the motion across the wall stops and the rest
slides on. A line through a corner of four cells meets every wall that ends in the corner. At last, the agent is put at
least 0.005 off the walls of the cell in which it arrived (measured across the wall; beside a wall's free end there is
nothing to be off from). None of this depends on an order of the axes.

There are conditions, but no branches: with actions drawn at random a processor would guess every second one wrongly,
which takes longer than all of the arithmetic.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.point_maze.task import WALL_GAP
from procgen_bench.tasks.point_maze.walls import DOWN, LEFT, RIGHT, UP

#: From a cell's centre to the closest that the agent gets to a wall.
INNER_HALF = 0.5 - WALL_GAP
#: From a coordinate to its padded index: cells are kept inside a ring of one cell.
_TO_INDEX = 1.5


@njit(inline="always")
def padded_index(coordinate):
    """Index in the padded cells of the cell that holds a coordinate (above -1.5)."""
    return np.int64(coordinate + _TO_INDEX)


@njit(inline="always")
def slide(x, y, target_x, target_y, column, row, target_column, target_row, here, beside, beyond, across):
    """Where the agent arrives that moves from (x, y) towards a target less than one cell away on each axis.

    Args:
        x, y, target_x, target_y: float64.
        column, row, target_column, target_row: Padded indices of the cells that hold the two points.
        here, beside, beyond, across: Walled sides of the cells (column, row), (target_column, row),
            (column, target_row) and (target_column, target_row).

    Returns:
        The new x and y.
    """
    leftwards, rightwards = target_column < column, target_column > column
    downwards, upwards = target_row < row, target_row > row
    side_x, side_y = (RIGHT if rightwards else LEFT), (UP if upwards else DOWN)
    crosses_x, crosses_y = leftwards | rightwards, downwards | upwards
    # Times of the two crossings, both multiplied by the lengths of the motion on the two axes.
    time_x = abs(max(column, target_column) - _TO_INDEX - x) * abs(target_y - y)
    time_y = abs(max(row, target_row) - _TO_INDEX - y) * abs(target_x - x)
    both = crosses_x & crosses_y
    x_first, y_first, at_once = both & (time_x < time_y), both & (time_y < time_x), both & (time_x == time_y)
    free_x, free_y = here & side_x == 0, here & side_y == 0
    free_x_beyond, free_y_beside = beyond & side_x == 0, beside & side_y == 0
    # The second crossing leads out of the cell that the first one led into; a corner's ends at all of its walls.
    passes_x = crosses_x & (free_x_beyond if y_first & free_y else free_x) & (free_x_beyond | (not at_once))
    passes_y = crosses_y & (free_y_beside if x_first & free_x else free_y) & (free_y_beside | (not at_once))
    stopped_x, stopped_y = crosses_x & (not passes_x), crosses_y & (not passes_y)
    centre_x = (target_column if passes_x else column) - 1.0
    centre_y = (target_row if passes_y else row) - 1.0
    walls_of_row, walls_of_target_row = (beside if passes_x else here), (across if passes_x else beyond)
    walls = walls_of_target_row if passes_y else walls_of_row
    if (stopped_x & leftwards) | (walls & LEFT != 0):
        target_x = max(target_x, centre_x - INNER_HALF)
    if (stopped_x & rightwards) | (walls & RIGHT != 0):
        target_x = min(target_x, centre_x + INNER_HALF)
    if (stopped_y & downwards) | (walls & DOWN != 0):
        target_y = max(target_y, centre_y - INNER_HALF)
    if (stopped_y & upwards) | (walls & UP != 0):
        target_y = min(target_y, centre_y + INNER_HALF)
    return target_x, target_y

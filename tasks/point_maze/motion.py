"""The compiled motion rule, on plain numbers: the caller loads the cells, so that no array is handed over.

The agent moves along a straight line. Where the line meets a wall, the motion across the wall stops and the rest
slides on. A line through a corner of four cells meets every wall that ends in the corner. At last, the agent is put at
least 0.005 off the walls of the cell in which it arrived (measured across the wall; beside a wall's free end there is
nothing to be off from). None of this depends on an order of the axes.
"""

import numpy as np
from numba import njit

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
    side_x = RIGHT if target_column > column else LEFT
    side_y = UP if target_row > row else DOWN
    crosses_x, crosses_y = target_column != column, target_row != row
    if crosses_x and crosses_y:
        # Times of the two crossings, both multiplied by the lengths of the motion on the two axes.
        time_x = abs(max(column, target_column) - _TO_INDEX - x) * abs(target_y - y)
        time_y = abs(max(row, target_row) - _TO_INDEX - y) * abs(target_x - x)
        passes_x, passes_y = here & side_x == 0, here & side_y == 0
        if time_x < time_y:
            if passes_x:
                passes_y = beside & side_y == 0
        elif time_y < time_x:
            if passes_y:
                passes_x = beyond & side_x == 0
        else:
            passes_x, passes_y = (here | beyond) & side_x == 0, (here | beside) & side_y == 0
    else:
        passes_x = crosses_x and here & side_x == 0
        passes_y = crosses_y and here & side_y == 0
    centre_x, centre_y = column - 1.0, row - 1.0
    walls = here
    if passes_x:
        centre_x = target_column - 1.0
        walls = across if passes_y else beside
    elif passes_y:
        walls = beyond
    if passes_y:
        centre_y = target_row - 1.0
    if (crosses_x and not passes_x and side_x == LEFT) or walls & LEFT != 0:
        target_x = max(target_x, centre_x - INNER_HALF)
    if (crosses_x and not passes_x and side_x == RIGHT) or walls & RIGHT != 0:
        target_x = min(target_x, centre_x + INNER_HALF)
    if (crosses_y and not passes_y and side_y == DOWN) or walls & DOWN != 0:
        target_y = max(target_y, centre_y - INNER_HALF)
    if (crosses_y and not passes_y and side_y == UP) or walls & UP != 0:
        target_y = min(target_y, centre_y + INNER_HALF)
    return target_x, target_y

"""Scripted builder of VoxelBuild: it goes backwards along the walls and puts every block right before its feet.

The builder looks 50 degrees down and stands where the second cell of the outline will be, facing the first, a corner.
It places as many blocks ahead as the goal is high, steps back into the next cell, and so on; at a corner it steps aside
and turns. The last cell it leaves for the inside, or for the outside where walls enclose nothing, and places its blocks
from there. Nothing that it has built is ever in its way.
"""

from itertools import pairwise

import numpy as np

from procgen_bench.tasks.voxel_build.actions import (
    LOOK_DOWN,
    MOVE_BACKWARD,
    MOVE_FORWARD,
    MOVE_LEFT,
    MOVE_RIGHT,
    PLACE,
    TURN_LEFT,
    TURN_RIGHT,
    TURN_ROUND,
)
from procgen_bench.tasks.voxel_build.rules import LEVEL, PITCHES, STEPS
from procgen_bench.tasks.voxel_build.task import HEADINGS, Rectangle, VoxelBuildTask

_LOOKS = LEVEL - PITCHES.index(-50)
Cell = tuple[int, int]
#: The turn to a heading by how many right turns away it is.
_TURNS = {0: [], 1: [TURN_RIGHT], 2: [TURN_ROUND], 3: [TURN_LEFT]}


def solve(task: VoxelBuildTask) -> np.ndarray:
    """Actions (int64) that build the goal: the shortest of the builder's eight ways (first corner, and direction).

    They are 2 looks, a turn for each of the four walls and one at the end, the way to the first wall, a placement per
    block and a move between two cells: never more than 90, from anywhere in the arena, in the small one 56.
    """
    rectangle = Rectangle.around(task.goal)
    clockwise = _outline(rectangle)
    ways = []
    for cells in (clockwise, clockwise[::-1]):
        corners = [place for place, cell in enumerate(cells) if _is_corner(rectangle, cell)]
        ways += [_way(task, rectangle, cells[place:] + cells[:place]) for place in corners]
    return np.array(min(ways, key=len), np.int64)


def _outline(rectangle: Rectangle) -> list[Cell]:
    """The cells (x, y) of the walls, clockwise from the north-western corner."""
    west, north, east, south = rectangle[:4]
    return [
        *((x, north) for x in range(west, east)),
        *((east, y) for y in range(north, south)),
        *((x, south) for x in range(east, west, -1)),
        *((west, y) for y in range(south, north, -1)),
    ]


def _is_corner(rectangle: Rectangle, cell: Cell) -> bool:
    return cell[0] in (rectangle.west, rectangle.east) and cell[1] in (rectangle.north, rectangle.south)


def _way(task: VoxelBuildTask, rectangle: Rectangle, cells: list[Cell]) -> list[int]:
    """The builder's actions when it builds the cells in this order, of which the first is a corner."""
    x, y, heading = task.start.tolist()
    at, actions = (x, y), [LOOK_DOWN] * _LOOKS
    for cell, stand in [*pairwise(cells), (cells[-1], _free_cell_beside(cells))]:
        facing = _heading_to(stand, cell)
        moves = _moves(at, stand, heading)
        actions += moves + _TURNS[(facing - heading) % len(HEADINGS)]
        actions += [PLACE + rectangle.material - 1] * rectangle.height
        at, heading = stand, facing
    return actions


def _free_cell_beside(cells: list[Cell]) -> Cell:
    """The neighbour of the last of the walls' cells that is none of them: the one that is nearest to their middle."""
    (x, y), middle = cells[-1], np.mean(cells, axis=0)
    free = [cell for step_x, step_y in STEPS.tolist() if (cell := (x + step_x, y + step_y)) not in cells]
    return min(free, key=lambda cell: float(np.abs(cell - middle).sum()))


def _heading_to(at: Cell, neighbour: Cell) -> int:
    step = neighbour[0] - at[0], neighbour[1] - at[1]
    return [tuple(one) for one in STEPS.tolist()].index(step)


def _moves(at: Cell, to: Cell, heading: int) -> list[int]:
    """The way between two cells with nothing in between."""
    ahead, right = np.subtract(_turned(*to, heading), _turned(*at, heading)).tolist()
    along = [MOVE_FORWARD if ahead > 0 else MOVE_BACKWARD] * abs(ahead)
    return along + [MOVE_RIGHT if right > 0 else MOVE_LEFT] * abs(right)


def _turned(x: int, y: int, heading: int) -> tuple[int, int]:
    """A cell as seen by someone who faces ``heading``: how far ahead and how far to the right of (0, 0) it is."""
    forward, right = STEPS[heading], STEPS[(heading + 1) % len(HEADINGS)]
    return int(x * forward[0] + y * forward[1]), int(x * right[0] + y * right[1])

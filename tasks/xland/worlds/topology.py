"""Where a player can walk: the topology graph (definition 1) and the playable area (A.1.1).

A player walks in a straight line from the centre of a tile to that of a neighbour. It can where the two floors have the
same height at the middle of the side that they share, or where the neighbour's is lower there: then it drops. A
diagonal's centre counts as its lower half: over its higher sides a player comes in, and drops over the cut, but it does
not go out.
"""

from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.worlds.tiles import OPPOSITE, SIDE_HEIGHTS, STEPS, is_diagonal

if TYPE_CHECKING:
    from networkx import DiGraph

    from procgen_bench.tasks.xland.worlds.world import World


def topology_graph(world: "World") -> "DiGraph":
    """A node (row, column) for every tile and an edge for every walk from one to a neighbour; see the module."""
    from networkx import DiGraph

    graph = DiGraph()
    rows, columns = world.shape
    graph.add_nodes_from((row, column) for row in range(rows) for column in range(columns))
    for row, column, side in np.argwhere(walkable_sides(world.kinds, world.levels)).tolist():
        graph.add_edge((row, column), (row + int(STEPS[side, 0]), column + int(STEPS[side, 1])))
    return graph


def playable_area(world: "World") -> np.ndarray:
    """The largest set of tiles between any two of which a player can walk: bool (H, W).

    A player that walks about in it can come back. Of several that are the largest, the one that holds the first tile in
    the order of rows counts.
    """
    return playable_tiles(world.kinds, world.levels)


def playable_tiles(kinds: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The playable area of ``kinds`` and ``levels``, int8 (H, W), that are no world yet: bool (H, W)."""
    return largest_component(walkable_sides(kinds, levels))


def walkable_sides(kinds: np.ndarray, levels: np.ndarray, climb: int = 0) -> np.ndarray:
    """Over which sides of every tile a player can leave: bool (H, W, 4), in the order of ``SIDES``.

    Args:
        kinds: int8 (H, W).
        levels: int8 (H, W).
        climb: Half levels by which the neighbour's floor may be higher; who climbs also leaves over a diagonal's higher
            sides.
    """
    return _walkable_sides(np.array(kinds), np.array(levels), climb)  # read-only arrays would be compiled for once more


@njit
def _walkable_sides(kinds, levels, climb):
    rows, columns = kinds.shape
    walkable = np.zeros((rows, columns, 4), np.bool_)
    for row in range(rows):
        for column in range(columns):
            kind = kinds[row, column]
            for side in range(4):
                other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
                if not (0 <= other_row < rows and 0 <= other_column < columns):
                    continue
                if climb == 0 and is_diagonal(kind) and SIDE_HEIGHTS[kind, side, 0] == 1:
                    continue
                here = middle_height(kind, levels[row, column], side)
                there = middle_height(kinds[other_row, other_column], levels[other_row, other_column], OPPOSITE[side])
                walkable[row, column, side] = here + climb >= there
    return walkable


@njit
def middle_height(kind, level, side):
    """Twice the height (levels) of a tile's floor at the middle of a side: a whole number."""
    return 2 * np.int64(level) + SIDE_HEIGHTS[kind, side, 0] + SIDE_HEIGHTS[kind, side, 1]


@njit
def largest_component(walkable):
    """The largest strongly connected component of a grid of walks, bool (H, W, 4): bool (H, W)."""
    rows, columns = walkable.shape[:2]
    largest, size = np.zeros((rows, columns), np.bool_), 0
    assigned, left = np.zeros((rows, columns), np.bool_), rows * columns
    for row in range(rows):
        for column in range(columns):
            if assigned[row, column]:
                continue
            if left <= size:
                return largest
            component = reached(walkable, row, column, False) & reached(walkable, row, column, True)
            count = np.sum(component)
            assigned |= component
            left -= count
            if count > size:
                largest, size = component, count
    return largest


@njit
def reached(walkable, row, column, backwards):
    """The tiles that can be walked to from a tile, or ``backwards`` those from which it can be reached: bool (H, W)."""
    rows, columns = walkable.shape[:2]
    found = np.zeros((rows, columns), np.bool_)
    found[row, column] = True
    stack = np.empty(rows * columns, np.int64)
    stack[0], count = row * columns + column, 1
    while count > 0:
        count -= 1
        here_row, here_column = stack[count] // columns, stack[count] % columns
        for side in range(4):
            next_row, next_column = here_row + STEPS[side, 0], here_column + STEPS[side, 1]
            if not (0 <= next_row < rows and 0 <= next_column < columns) or found[next_row, next_column]:
                continue
            if backwards:
                passable = walkable[next_row, next_column, OPPOSITE[side]]
            else:
                passable = walkable[here_row, here_column, side]
            if passable:
                found[next_row, next_column] = True
                stack[count] = next_row * columns + next_column
                count += 1
    return found

"""The kinds of mazes: the published one, corridors, U shapes, and random spanning trees."""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze.task import PointMazeTask
from procgen_bench.tasks.point_maze.walls import (
    SIDE,
    Walls,
    cell_bits,
    closed_walls,
    free_region,
    open_between,
    read_walls,
)

#: What drawn starts and goals keep off the walls of their cells. Goals of the published maze keep off further, so that
#: they are not reached from behind a wall.
START_MARGIN, GOAL_MARGIN, DEFAULT_GOAL_MARGIN = 0.05, 0.1, 0.175
#: Least and greatest length of a corridor and of a U, from centre to centre: one cell less than they have.
LEAST_SIDE, GREATEST_SIDE = 2, SIDE - 1
#: Cells along a side of the published maze and of the random ones.
_SQUARE = 10

#: The maze of the paper's experiments (figure 3, top left).
DEFAULT_MAZE = """\
+--+--+--+--+--+--+--+--+--+--+
|  |                    |     |
+  +--+  +--+--+--+--+--+  +  +
|     |  |     |     |     |  |
+--+  +  +  +--+  +--+  +--+--+
|  |     |     |     |  |     |
+  +--+  +  +--+--+  +  +  +--+
|     |  |  |  |  |  |     |  |
+--+  +  +  +  +  +  +  +--+  +
|  |     |     |     |     |  |
+  +  +--+  +--+--+  +  +--+  +
|                 |  |        |
+--+  +--+--+--+  +  +  +--+  +
|  |  |  |  |  |  |     |  |  |
+  +  +  +  +  +--+  +--+  +--+
|        |  |     |           |
+  +  +--+  +  +--+--+  +--+--+
|  |  |           |     |     |
+  +--+  +  +--+  +  +--+  +  +
|        |     |           |  |
+--+--+--+--+--+--+--+--+--+--+"""


class Maze(NamedTuple):
    """Walls, and the cells (column, row) in which starts and goals lie."""

    walls: Walls
    start_cell: tuple[int, int]
    goal_cell: tuple[int, int]

    def start_region(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest coordinates of a start, float64 (2,) each: its cell, at least 0.05 from the cell's
        walls."""
        return free_region(cell_bits(self.walls), self.start_cell, START_MARGIN)

    def goal_region(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest coordinates of a goal, float64 (2,) each: its cell, at least 0.1 off its walls (default
        maze: 0.175)."""
        is_default = all(map(np.array_equal, self.walls, default_maze().walls))
        return free_region(cell_bits(self.walls), self.goal_cell, DEFAULT_GOAL_MARGIN if is_default else GOAL_MARGIN)

    def draw_task(self, rng: np.random.Generator) -> PointMazeTask:
        """This maze with a start and a goal drawn uniformly from their regions."""
        return PointMazeTask(*self.walls, rng.uniform(*self.start_region()), rng.uniform(*self.goal_region()))


@lru_cache(maxsize=1)
def default_maze() -> Maze:
    """The published maze, from the lower left to the upper right cell."""
    closed_row = ["+--" * SIDE + "+", "|  " * SIDE + "|"]
    lines = [line + ("  |" if number % 2 else "--+") for number, line in enumerate(DEFAULT_MAZE.splitlines())]
    return Maze(read_walls(closed_row + lines), (0, 0), (_SQUARE - 1, _SQUARE - 1))


def corridor(side: int) -> Maze:
    """A straight corridor of length ``side`` (2 to 10) along the bottom, of ``side + 1`` cells, from left to right.

    Raises:
        InvalidTaskError: ``side`` is outside that range.
    """
    _check_side(side)
    return _along([(column, 0) for column in range(side + 1)])


def u_maze(side: int) -> Maze:
    """A U lying on its side: ``side`` moves (2 to 10) from cell to cell to the right, two up, and as many back.

    The goal lies two units above the start, behind the walls of the cells between.

    Raises:
        InvalidTaskError: ``side`` is outside that range.
    """
    _check_side(side)
    there = [(column, 0) for column in range(side + 1)]
    back = [(column, 2) for column in reversed(range(side + 1))]
    return _along([*there, (side, 1), *back])


def spanning_tree(rng: np.random.Generator) -> Maze:
    """A random maze with exactly one path between any two cells: the least spanning tree of random weights."""
    import networkx

    grid = networkx.grid_2d_graph(_SQUARE, _SQUARE)
    weights = rng.random(grid.number_of_edges())
    for edge, weight in zip(sorted(grid.edges), weights.tolist()):
        grid.edges[edge]["weight"] = weight
    walls = closed_walls()
    for one, other in networkx.minimum_spanning_edges(grid, data=False):
        open_between(walls, one, other)
    return Maze(walls, (0, 0), (_SQUARE - 1, _SQUARE - 1))


def _along(path: list[tuple[int, int]]) -> Maze:
    walls = closed_walls()
    for one, other in pairwise(path):
        open_between(walls, one, other)
    return Maze(walls, path[0], path[-1])


def _check_side(side: int) -> None:
    if not isinstance(side, int | np.integer) or isinstance(side, bool) or not LEAST_SIDE <= side <= GREATEST_SIDE:
        raise InvalidTaskError("side of the maze", side, f"an integer in [{LEAST_SIDE}, {GREATEST_SIDE}]")

"""PointMazeTask: walls, a start and a goal, checked, and readable as text."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.number_lines import number_line, read_numbers
from procgen_bench.core.task import Task
from procgen_bench.tasks.point_maze.walls import (
    HIGH,
    HORIZONTAL_SHAPE,
    LOW,
    SIDE,
    VERTICAL_SHAPE,
    Walls,
    cell_bits,
    cell_of,
    draw_walls,
    free_region,
    read_walls,
)

#: Steps of an episode.
HORIZON = 50
#: Greatest distance (L2) from the goal at which it counts as reached.
GOAL_RADIUS = 0.15
#: Greatest part of an action: float32, as actions are.
MAX_STEP = np.float32(0.95)
#: What the agent, a start and a goal keep off the walls of their cell.
WALL_GAP = 0.005


@dataclass(frozen=True, eq=False)
class PointMazeTask(Task):
    """One maze of unit cells, within a square of 11 x 11, with a start and a goal.

    Smaller mazes lie in the lower left, inside closed walls: with one size, every row of a simulation can hold any
    task, and a border is a wall like the others.

    Attributes:
        vertical_walls: bool (11, 10), [row, column]: a wall between cells (column, row) and (column + 1, row).
        horizontal_walls: bool (10, 11), [row, column]: a wall between cells (column, row) and (column, row + 1).
        start: float64 (2,), x and y in [-0.5, 10.5], at least 0.005 from the walls of its cell.
        goal: float64 (2,), as ``start``.
    """

    vertical_walls: np.ndarray
    horizontal_walls: np.ndarray
    start: np.ndarray
    goal: np.ndarray

    @property
    def walls(self) -> Walls:
        """Both arrays of walls."""
        return Walls(self.vertical_walls, self.horizontal_walls)

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        check_array("vertical_walls", self.vertical_walls, np.bool_, VERTICAL_SHAPE)
        check_array("horizontal_walls", self.horizontal_walls, np.bool_, HORIZONTAL_SHAPE)
        bits = cell_bits(self.walls)
        for name, point in (("start", self.start), ("goal", self.goal)):
            check_array(name, point, np.float64, (2,))
            placed_in_square(name, point)
            low, high = free_region(bits, cell_of(point), WALL_GAP)
            for axis, value, least, most in zip("xy", point.tolist(), low.tolist(), high.tolist()):
                if not least <= value <= most:
                    expected = f"a number in [{least}, {most}], {WALL_GAP} off the walls of its cell {cell_of(point)}"
                    raise InvalidTaskError(f"{axis} of {name}", value, expected)

    def to_text(self) -> str:
        """The drawn walls (23 lines, the top row of cells first), then ``start X Y`` and ``goal X Y``."""
        return "\n".join([draw_walls(self.walls), number_line("start", self.start), number_line("goal", self.goal)])

    @classmethod
    def from_text(cls, text: str) -> "PointMazeTask":
        """The task that :meth:`to_text` shows; indentation does not matter.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        lines = [line.strip() for line in text.strip().splitlines()]
        expected_lines = 2 * SIDE + 3
        if len(lines) != expected_lines:
            raise InvalidTaskError("number of lines", len(lines), f"{expected_lines}: the walls, the start, the goal")
        walls = read_walls(lines[:-2])
        return cls(*walls, read_numbers("start", lines[-2], 2), read_numbers("goal", lines[-1], 2))


def placed_in_square(name: str, point: np.ndarray) -> np.ndarray:
    """``point`` (numbers (2,)) as tasks keep it: float64. Whether it keeps off the walls is left to the task's check.

    Raises:
        InvalidTaskError: ``point``, called ``name``, is not in the square of the maze.
    """
    for axis, value in zip("xy", point.tolist()):
        if not LOW <= value <= HIGH:  # also true for NaN
            raise InvalidTaskError(f"{axis} of {name}", value, f"a number in [{LOW}, {HIGH}]")
    return point.astype(np.float64)

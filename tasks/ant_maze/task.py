"""AntMazeTask: where the ant starts and where it is to go, checked, and readable as text."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.number_lines import number_line, read_numbers
from procgen_bench.core.task import Task
from procgen_bench.tasks.ant_maze.maze import HIGH, LOW, WALL_X, WALL_Y, is_free

#: Steps of an episode.
HORIZON = 500
#: Steps for which a subgoal of the hierarchy stands.
SUBGOAL_STEPS = 20
#: Greatest distance (L2) of the torso from the goal at which it counts as reached.
GOAL_RADIUS = 1.0
#: What a start keeps off the walls, so that the ant's legs do, and a goal, which is closer than the ant itself can get.
START_GAP, GOAL_GAP = 1.0, 0.5


@dataclass(frozen=True, eq=False)
class AntMazeTask(Task):
    """A start and a goal in the U-maze, [-4, 20] x [-4, 20] with a wall at x below 12 and y between 4 and 12.

    Attributes:
        start: float64 (2,), x and y of the ant's torso, metres, at least 1.0 off the walls.
        goal: float64 (2,), x and y, metres, at least 0.5 off the walls.
    """

    start: np.ndarray
    goal: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        for name, point, gap in (("start", self.start, START_GAP), ("goal", self.goal, GOAL_GAP)):
            check_array(name, point, np.float64, (2,))
            check_point(name, point, gap)

    def to_text(self) -> str:
        """Two lines, ``start X Y`` and ``goal X Y``."""
        return number_line("start", self.start) + "\n" + number_line("goal", self.goal)

    @classmethod
    def from_text(cls, text: str) -> "AntMazeTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        lines = text.strip().splitlines()
        if len(lines) != 2:
            raise InvalidTaskError("number of lines", len(lines), "2: the start, the goal")
        return cls(read_numbers("start", lines[0], 2), read_numbers("goal", lines[1], 2))


def check_point(name: str, point: np.ndarray, gap: float) -> None:
    """Raise :class:`InvalidTaskError` unless ``point`` (numbers of any dtype, (2,), metres) is in the maze and ``gap``
    metres off its walls."""
    for axis, value in zip("xy", point.tolist()):
        if not LOW + gap <= value <= HIGH - gap:  # also true for NaN
            raise InvalidTaskError(f"{axis} of {name}", value, f"a number in [{LOW + gap}, {HIGH - gap}]")
    if not is_free(point, gap):
        low, high = WALL_Y[0] - gap, WALL_Y[1] + gap
        expected = f"a point {gap} off the wall: x at least {WALL_X[1] + gap}, or y at most {low} or at least {high}"
        raise InvalidTaskError(name, tuple(point.tolist()), expected)

"""TrackTask: a start and a goal on the track, checked, and readable as text."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.number_lines import number_line, read_numbers
from procgen_bench.core.task import Task
from procgen_bench.tasks.point_maze.track.ring import INNER_RADIUS, OUTER_RADIUS, distance_from_track, nearest_on_track

#: Steps of an episode. With the maze's actions they suffice from any point of the track to any other.
TRACK_HORIZON = 5

#: Observations are float32: a place that has been observed may lie this far off the track.
_OBSERVATION_ERROR = 1e-6
_EXPECTED = f"a point {INNER_RADIUS} to {OUTER_RADIUS} from (0, 0), at an angle of 18 to 342 degrees"


@dataclass(frozen=True, eq=False)
class TrackTask(Task):
    """A start and a goal on the track.

    Attributes:
        start: float64 (2,), x and y: 0.85 to 1.15 from (0, 0), at an angle of 18 to 342 degrees.
        goal: float64 (2,), as ``start``.
    """

    start: np.ndarray
    goal: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        for name, point in (("start", self.start), ("goal", self.goal)):
            check_array(name, point, np.float64, (2,))
            if not distance_from_track(point) == 0:  # also true for NaN
                raise InvalidTaskError(name, tuple(point.tolist()), _EXPECTED)

    def to_text(self) -> str:
        """Two lines, ``start X Y`` and ``goal X Y``."""
        return f"{number_line('start', self.start)}\n{number_line('goal', self.goal)}"

    @classmethod
    def from_text(cls, text: str) -> "TrackTask":
        """The task that :meth:`to_text` shows; indentation does not matter.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        lines = [line.strip() for line in text.strip().splitlines()]
        if len(lines) != 2:
            raise InvalidTaskError("number of lines", len(lines), "2: the start and the goal")
        return cls(read_numbers("start", lines[0], 2), read_numbers("goal", lines[1], 2))


def placed_on_track(name: str, point: np.ndarray) -> np.ndarray:
    """``point`` (numbers (2,)) as tasks keep it: float64, and on the track where it is off by a float32's rounding.

    Raises:
        InvalidTaskError: ``point``, called ``name``, is not on the track.
    """
    if not distance_from_track(point) <= _OBSERVATION_ERROR:  # also true for NaN
        raise InvalidTaskError(name, tuple(point.tolist()), _EXPECTED)
    return nearest_on_track(point.astype(np.float64))

"""The kinds of worlds that SparsePointMaze's tasks are in."""

from procgen_bench.core.checks import check_choice
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.tasks.point_maze.space import PointMazeTaskSpace
from procgen_bench.tasks.point_maze.track.space import TrackTaskSpace

_SPACES: dict[str, type[TaskSpace]] = {"maze": PointMazeTaskSpace, "track": TrackTaskSpace}


def make_task_space(kind: str = "maze") -> TaskSpace:
    """The tasks of mazes (``"maze"``) or of the motivating example's track (``"track"``).

    Raises:
        InvalidOptionError: There is no such kind.
    """
    check_choice("kind", kind, _SPACES)
    return _SPACES[kind]()

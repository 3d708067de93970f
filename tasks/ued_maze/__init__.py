"""UEDMaze's tasks: the mazes of 13 x 13 tiles in which papers on unsupervised environment design report."""

from procgen_bench.tasks.ued_maze.space import UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.task import HORIZON, UEDMazeTask

__all__ = ["HORIZON", "UEDMazeTask", "UEDMazeTaskSpace"]

"""SparsePointMaze's tasks (Sibling Rivalry, section 4.1): a maze of unit cells, a start and a goal in the plane."""

from procgen_bench.tasks.point_maze.distance import goal_distance
from procgen_bench.tasks.point_maze.kinds import make_task_space
from procgen_bench.tasks.point_maze.space import PointMazeTaskSpace
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS, HORIZON, PointMazeTask

__all__ = ["GOAL_RADIUS", "HORIZON", "PointMazeTask", "PointMazeTaskSpace", "goal_distance", "make_task_space"]

"""SparseAntMaze's tasks (Sibling Rivalry, section 4.1): a start and a goal in the U-maze."""

from procgen_bench.tasks.ant_maze.space import AntMazeTaskSpace
from procgen_bench.tasks.ant_maze.task import GOAL_RADIUS, HORIZON, SUBGOAL_STEPS, AntMazeTask
from procgen_bench.tasks.point_maze.distance import goal_distance

__all__ = ["GOAL_RADIUS", "HORIZON", "SUBGOAL_STEPS", "AntMazeTask", "AntMazeTaskSpace", "goal_distance"]

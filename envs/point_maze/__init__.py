"""SparsePointMaze-v0: the continuous maze of Sibling Rivalry (section 4.1)."""

from procgen_bench.envs.point_maze.environment import SparsePointMazeEnv, SparsePointMazeVectorEnv

__all__ = ["SparsePointMazeEnv", "SparsePointMazeVectorEnv"]

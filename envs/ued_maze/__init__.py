"""UEDMaze-v0: the maze in which papers on unsupervised environment design report."""

from procgen_bench.envs.ued_maze.environment import UEDMazeEnv, UEDMazeVectorEnv

__all__ = ["UEDMazeEnv", "UEDMazeVectorEnv"]

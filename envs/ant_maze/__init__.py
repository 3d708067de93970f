"""SparseAntMaze-v0: the U-maze of Sibling Rivalry (section 4.1), walked by a MuJoCo ant."""

from procgen_bench.core.extras import import_extra

import_extra("mujoco", "mujoco")

from procgen_bench.envs.ant_maze.environment import SparseAntMazeEnv, SparseAntMazeVectorEnv  # noqa: E402

__all__ = ["SparseAntMazeEnv", "SparseAntMazeVectorEnv"]

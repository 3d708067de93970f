"""BitGrid-v0: the two-dimensional bit flipping of Sibling Rivalry (section 4)."""

from procgen_bench.envs.bit_grid.environment import BitGridEnv, BitGridVectorEnv

__all__ = ["BitGridEnv", "BitGridVectorEnv"]

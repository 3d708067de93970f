"""GridWorld-v0: the parameterised grid world of APT-Gen (section A.1)."""

from procgen_bench.envs.grid_world.environment import GridWorldEnv, GridWorldVectorEnv

__all__ = ["GridWorldEnv", "GridWorldVectorEnv"]

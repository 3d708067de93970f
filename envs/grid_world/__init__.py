"""GridWorld-v0, the parameterised grid world of APT-Gen (section A.1), and GridWorldLarge-v0, where counting fails."""

from procgen_bench.envs.grid_world.environment import (
    GridWorldEnv,
    GridWorldLargeEnv,
    GridWorldLargeVectorEnv,
    GridWorldVectorEnv,
)

__all__ = ["GridWorldEnv", "GridWorldLargeEnv", "GridWorldLargeVectorEnv", "GridWorldVectorEnv"]

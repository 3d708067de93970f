"""CompositionalMiniGrid-v0: MiniGrid rooms made of subtasks (CoDE, section A.9)."""

from procgen_bench.envs.compositional_minigrid.environment import (
    CompositionalMiniGridEnv,
    CompositionalMiniGridVectorEnv,
)

__all__ = ["CompositionalMiniGridEnv", "CompositionalMiniGridVectorEnv"]

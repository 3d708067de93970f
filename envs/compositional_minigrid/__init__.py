"""CompositionalMiniGrid-v0: MiniGrid rooms made of subtasks (CoDE, section A.9)."""

from procgen_bench.envs.compositional_minigrid.environment import (
    CompositionalMiniGridEnv,
    CompositionalMiniGridVectorEnv,
)
from procgen_bench.envs.compositional_minigrid.sparse import (
    CompositionalMiniGridSparseEnv,
    CompositionalMiniGridSparseVectorEnv,
)

__all__ = [
    "CompositionalMiniGridEnv",
    "CompositionalMiniGridSparseEnv",
    "CompositionalMiniGridSparseVectorEnv",
    "CompositionalMiniGridVectorEnv",
]

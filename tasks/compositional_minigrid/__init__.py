"""CompositionalMiniGrid's tasks (CoDE, section A.9): one room, a goal, and any set of five subtasks."""

from procgen_bench.tasks.compositional_minigrid.space import CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.task import HORIZON, CompositionalMiniGridTask

__all__ = ["HORIZON", "CompositionalMiniGridTask", "CompositionalMiniGridTaskSpace"]

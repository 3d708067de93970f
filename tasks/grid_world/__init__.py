"""GridWorld's tasks (APT-Gen, section A.1): a grid of tiles with a goal, doors and their keys."""

from procgen_bench.tasks.grid_world.space import GridWorldLargeTaskSpace, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.task import HORIZON, LARGE_HORIZON, GridWorldLargeTask, GridWorldTask

__all__ = [
    "HORIZON",
    "LARGE_HORIZON",
    "GridWorldLargeTask",
    "GridWorldLargeTaskSpace",
    "GridWorldTask",
    "GridWorldTaskSpace",
]

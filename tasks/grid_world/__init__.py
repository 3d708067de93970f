"""GridWorld's tasks (APT-Gen, section A.1): an 8 x 8 grid of tiles with a goal, two doors and their keys."""

from procgen_bench.tasks.grid_world.space import GridWorldTaskSpace
from procgen_bench.tasks.grid_world.task import HORIZON, GridWorldTask

__all__ = ["HORIZON", "GridWorldTask", "GridWorldTaskSpace"]

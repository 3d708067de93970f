"""BitGrid's tasks (Sibling Rivalry, section 4): a square of bits to set, and where the agent starts."""

from procgen_bench.tasks.bit_grid.space import BitGridTaskSpace
from procgen_bench.tasks.bit_grid.task import HORIZON, BitGridTask

__all__ = ["HORIZON", "BitGridTask", "BitGridTaskSpace"]

"""FetchBlocks' tasks (AlphaNPI-X, section D.1): coloured blocks, the gripper above them, and desired places."""

from procgen_bench.tasks.fetch_blocks.program_space import FetchProgramTaskSpace
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.space import FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask

__all__ = [
    "FetchBlocksStart",
    "FetchBlocksTask",
    "FetchBlocksTaskSpace",
    "FetchProgramTask",
    "FetchProgramTaskSpace",
]

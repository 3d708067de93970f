"""VoxelBuild's tasks (Sibling Rivalry, section 4): a structure of blocks to build, and where the agent starts."""

from procgen_bench.tasks.voxel_build.space import VoxelBuildSmallTaskSpace, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import HORIZON, VoxelBuildTask

__all__ = ["HORIZON", "VoxelBuildSmallTaskSpace", "VoxelBuildTask", "VoxelBuildTaskSpace"]

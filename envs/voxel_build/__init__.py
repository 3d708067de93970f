"""VoxelBuild-v0: the three-dimensional construction of Sibling Rivalry (section 4), without Minecraft; and in the small."""

from procgen_bench.envs.voxel_build.environment import (
    VoxelBuildEnv,
    VoxelBuildSmallEnv,
    VoxelBuildSmallVectorEnv,
    VoxelBuildVectorEnv,
)

__all__ = ["VoxelBuildEnv", "VoxelBuildSmallEnv", "VoxelBuildSmallVectorEnv", "VoxelBuildVectorEnv"]

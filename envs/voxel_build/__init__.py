"""VoxelBuild-v0, Sibling Rivalry's construction (section 4) without Minecraft, and VoxelBuildSmall-v0, in the small."""

from procgen_bench.envs.voxel_build.environment import (
    VoxelBuildEnv,
    VoxelBuildSmallEnv,
    VoxelBuildSmallVectorEnv,
    VoxelBuildVectorEnv,
)

__all__ = ["VoxelBuildEnv", "VoxelBuildSmallEnv", "VoxelBuildSmallVectorEnv", "VoxelBuildVectorEnv"]

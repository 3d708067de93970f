"""VoxelBuild-v0: the three-dimensional construction of Sibling Rivalry (section 4), without Minecraft."""

from procgen_bench.envs.voxel_build.environment import VoxelBuildEnv, VoxelBuildVectorEnv

__all__ = ["VoxelBuildEnv", "VoxelBuildVectorEnv"]

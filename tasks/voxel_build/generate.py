"""Regenerate VoxelBuild's data files and print their checksums.

``python -m procgen_bench.tasks.voxel_build.generate [FOLDER]``; without a folder, into the package's own.
"""

from procgen_bench.core.suite_generation import run_family_generator
from procgen_bench.tasks.voxel_build.space import VoxelBuildSmallTaskSpace, VoxelBuildTaskSpace

if __name__ == "__main__":
    for space in (VoxelBuildTaskSpace(), VoxelBuildSmallTaskSpace()):
        run_family_generator(space)

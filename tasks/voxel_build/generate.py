"""Generate VoxelBuild's data from a fixed seed: ``python -m procgen_bench.tasks.voxel_build.generate [FOLDER]``."""

from pathlib import Path

import numpy as np

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.voxel_build.space import VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import VoxelBuildTask

TEST_SEED, TEST_TASKS = 20_304, 500


def held_out_tasks(space: VoxelBuildTaskSpace) -> list[VoxelBuildTask]:
    """500 tasks of the paper's distribution, no two with the same goal."""
    rng = np.random.default_rng(TEST_SEED)
    tasks: dict[bytes, VoxelBuildTask] = {}
    while len(tasks) < TEST_TASKS:
        task = space.sample_task(rng)
        tasks.setdefault(task.goal.tobytes(), task)
    return list(tasks.values())


def suite_arrays(space: VoxelBuildTaskSpace, tasks: list[VoxelBuildTask]) -> dict[str, np.ndarray]:
    """The arrays that the suite's file keeps: starts, goals, and the scripted builder's length for each task."""
    return {
        "starts": np.stack([task.start for task in tasks]),
        "goals": np.stack([task.goal for task in tasks]),
        "length": np.array([len(space.solve(task)) for task in tasks], np.int8),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum, by suite."""
    space = VoxelBuildTaskSpace()
    return write_suite_files(folder, {"test": suite_arrays(space, held_out_tasks(space))})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

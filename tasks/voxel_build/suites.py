"""VoxelBuild's suite: held-out tasks of the paper's distribution."""

import importlib.resources

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.voxel_build.task import VoxelBuildTask

SUITE_NAMES = ("test",)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.voxel_build.generate`` writes the files and
#: prints these.
CHECKSUMS = {"test": "3e74274e79566f92d0748a5722c825b5b29ca688c29ed6fbae4fed95707a2a65"}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its records are ``length`` (int64), the scripted builder's, and ``blocks`` (int64)."""
    path = importlib.resources.files("procgen_bench.tasks.voxel_build") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    return TaskSuite(
        name=name,
        tasks=tuple(VoxelBuildTask(start, goal) for start, goal in zip(arrays["starts"], arrays["goals"])),
        task_names=tuple(str(index) for index in range(len(arrays["goals"]))),
        records={
            "blocks": np.count_nonzero(arrays["goals"], axis=(1, 2, 3)),
            "length": arrays["length"].astype(np.int64),
        },
    )

"""VoxelBuild's suites: held-out tasks of the paper's distribution, and of the small arena's."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, sampled_like
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.voxel_build.task import VoxelBuildTask

TEST_SEED, TEST_TASKS = 20_304, 500
#: A third of the small arena's goals.
SMALL_SEED, SMALL_TASKS = 20_305, 200


def held_out_arrays(space: Any, seed: int, num_tasks: int) -> Arrays:
    """Tasks as resets draw them, no two with the same goal, and the scripted builder's length for each.

    Returns:
        Of n tasks ``starts`` (int8 (n, 3)), ``goals`` (uint8 (n, side, side, 3)), and ``length`` (int8 (n,), steps).
    """
    rng = np.random.default_rng(seed)
    tasks: dict[bytes, VoxelBuildTask] = {}
    while len(tasks) < num_tasks:
        task = space.sample_task(rng)
        tasks.setdefault(task.goal.tobytes(), task)
    return {
        "starts": np.stack([task.start for task in tasks.values()]),
        "goals": np.stack([task.goal for task in tasks.values()]),
        "length": np.array([len(space.solve(task)) for task in tasks.values()], np.int8),
    }


def held_out_suite(name: str, arrays: Arrays) -> TaskSuite[VoxelBuildTask]:
    """The tasks of :func:`held_out_arrays` by number; the records, int64 (n,), are ``length``, the scripted builder's
    steps, and ``blocks``, the goal's number of them."""
    tasks = tuple(map(VoxelBuildTask, arrays["starts"], arrays["goals"]))
    records = {
        "blocks": np.count_nonzero(arrays["goals"], axis=(1, 2, 3)),
        "length": arrays["length"].astype(np.int64),
    }
    return TaskSuite(name, tasks, numbered(len(tasks)), records)


SUITES = FamilySuites[VoxelBuildTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            held_out_suite,
            "93cb57df2e07bdb1683af1476d804e076ad2ec9373ccdff8b0d932cc06e56c2e",
            partial(held_out_arrays, seed=TEST_SEED, num_tasks=TEST_TASKS),
            sampled_like,
        ),
    ),
)
SMALL_SUITES = FamilySuites[VoxelBuildTask](
    SUITES.folder,
    (
        SuiteDescriptor(
            "small",
            held_out_suite,
            "bbdf15231da7627b03b5c0ccf1d9af157476d11198a22cc607105629ba2be735",
            partial(held_out_arrays, seed=SMALL_SEED, num_tasks=SMALL_TASKS),
            sampled_like,
        ),
    ),
)

"""VoxelBuild's suites: held-out tasks of the paper's distribution, and of the small arena's."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, sampled_like
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.voxel_build.task import VoxelBuildTask

#: A quarter of the 253 structures, and 500 of their goals.
TEST_SEED, TEST_STRUCTURES, TEST_TASKS = 20_304, 64, 500
#: A third of the small arena's 42.
SMALL_SEED, SMALL_STRUCTURES, SMALL_TASKS = 20_305, 14, 200


def held_out_arrays(space: Any, seed: int, num_structures: int, num_tasks: int) -> Arrays:
    """Tasks as resets draw them, no two with the same goal, and the scripted builder's length for each.

    Their goals are of few structures, each in many places, directions and materials, because no goal of a structure
    that is scored may be trained on.

    Returns:
        Of n tasks ``starts`` (int8 (n, 3)), ``goals`` (uint8 (n, side, side, 3)), and ``length`` (int8 (n,), steps).
    """
    rng = np.random.default_rng(seed)
    tasks: dict[bytes, VoxelBuildTask] = {}
    structures: set[frozenset[str]] = set()
    while len(tasks) < num_tasks:
        task = space.sample_task(rng)
        marks = space.hold_out_marks(task)
        if len(structures) < num_structures or marks in structures:
            structures.add(marks)
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
            "8ac0fac35fe2a697329662663cb5d5b25663afc98c83dcaf5aa5aa5ac3c6da22",
            partial(held_out_arrays, seed=TEST_SEED, num_structures=TEST_STRUCTURES, num_tasks=TEST_TASKS),
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
            "ffaed119fd2281fc1919c8fd55262fbf983f840a7859454faaf2964175ab21c7",
            partial(held_out_arrays, seed=SMALL_SEED, num_structures=SMALL_STRUCTURES, num_tasks=SMALL_TASKS),
            sampled_like,
        ),
    ),
)

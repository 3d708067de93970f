"""FetchBlocks' suite: held-out tasks of the paper's distribution."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, sampled_like
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.fetch_blocks.start import starts_from_arrays, starts_to_arrays
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask

#: Blocks of the suite's tasks.
SUITE_BLOCKS = 4
TEST_SEED, TEST_TASKS = 70_401, 500


def held_out_arrays(space: Any) -> Arrays:
    """500 tasks of the paper's distribution, with the space's number of blocks, N.

    Returns:
        Starts as of :func:`.starts_to_arrays`, ``first`` (int64 (500,)), and ``goal`` (float64 (500, N, 3), metres).
    """
    rng = np.random.default_rng(TEST_SEED)
    tasks = [space.sample_task(rng) for _ in range(TEST_TASKS)]
    return starts_to_arrays([task.start for task in tasks]) | {
        "first": np.array([task.first for task in tasks]),
        "goal": np.stack([task.goal for task in tasks]),
    }


def held_out_suite(name: str, arrays: Arrays) -> TaskSuite[FetchBlocksTask]:
    """The tasks of :func:`held_out_arrays`, of four blocks, by number."""
    tasks = tuple(map(FetchBlocksTask, starts_from_arrays(arrays), arrays["first"].tolist(), arrays["goal"]))
    return TaskSuite(name, tasks, numbered(len(tasks)))


SUITES = FamilySuites[FetchBlocksTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            held_out_suite,
            "1ace9188cd0a5ed8fc3e47b5c9a1725562f2dec3f536a3e0d7aff32a9ee84f48",
            held_out_arrays,
            sampled_like,
        ),
    ),
)

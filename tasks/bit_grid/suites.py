"""BitGrid's suite: held-out tasks of the paper's distribution."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.bit_grid.task import BitGridTask

TEST_SEED, TEST_TASKS = 20_301, 500


def held_out_arrays(space: Any) -> Arrays:
    """500 solvable tasks of the paper's distribution, no two with the same goal, and the length of each's solution.

    Returns:
        All int8: ``starts`` (500, 2), ``goals`` (500, side, side), and ``length`` (500,), steps.
    """
    rng = np.random.default_rng(TEST_SEED)
    tasks: dict[bytes, BitGridTask] = {}
    while len(tasks) < TEST_TASKS:
        task = _solvable_task(space, rng)
        tasks.setdefault(task.goal.tobytes(), task)
    return {
        "starts": np.stack([task.start for task in tasks.values()]),
        "goals": np.stack([task.goal for task in tasks.values()]),
        "length": np.array([len(space.solve(task)) for task in tasks.values()], np.int8),
    }


def held_out_suite(name: str, arrays: Arrays) -> TaskSuite[BitGridTask]:
    """The tasks of :func:`held_out_arrays` by number; the record ``length`` (int64 (tasks,), steps) is that of each's
    shortest solution."""
    tasks = tuple(map(BitGridTask, arrays["starts"], arrays["goals"]))
    return TaskSuite(name, tasks, numbered(len(tasks)), {"length": arrays["length"].astype(np.int64)})


def another_task(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> BitGridTask:
    """A solvable task of the paper's distribution."""
    return _solvable_task(space, rng)


def _solvable_task(space: Any, rng: np.random.Generator) -> BitGridTask:
    while True:
        task = space.sample_task(rng)
        if space.is_solvable(task):
            return task


SUITES = FamilySuites[BitGridTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            held_out_suite,
            "67cc695f3a4da327326d6b62012fd0917acc18d4f05d06b0ca9d7431a7d7b320",
            held_out_arrays,
            another_task,
        ),
    ),
)

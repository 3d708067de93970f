"""SparseAntMaze's suite: held-out tasks of the paper's distribution."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, sampled_like
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.ant_maze.maze import shortest_way, way_length
from procgen_bench.tasks.ant_maze.task import START_GAP, AntMazeTask

TEST_SEED, TEST_TASKS = 50_501, 500


def held_out_arrays(space: Any) -> Arrays:
    """500 starts and goals of the paper's distribution, and the lengths of the ways between them.

    Returns:
        ``start`` and ``goal``, float64 (500, 2), and ``length``, float64 (500,); metres.
    """
    rng = np.random.default_rng(TEST_SEED)
    tasks = [space.sample_task(rng) for _ in range(TEST_TASKS)]
    return {
        "start": np.stack([task.start for task in tasks]),
        "goal": np.stack([task.goal for task in tasks]),
        "length": np.array([way_length(shortest_way(task.start, task.goal, START_GAP)) for task in tasks]),
    }


def held_out_suite(name: str, arrays: Arrays) -> TaskSuite[AntMazeTask]:
    """The tasks of ``arrays``, as of :func:`held_out_arrays`, by number; the record ``length`` (float64 (tasks,),
    metres) is that of each's shortest way."""
    tasks = tuple(map(AntMazeTask, arrays["start"], arrays["goal"]))
    return TaskSuite(name, tasks, numbered(len(tasks)), {"length": arrays["length"]})


SUITES = FamilySuites[AntMazeTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            held_out_suite,
            "2a2e9c2a5d4ab391cfb2e0b4e138f560aacb97dc3771c8433ce6893bb0d7a4d2",
            held_out_arrays,
            sampled_like,
        ),
    ),
)

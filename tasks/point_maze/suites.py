"""SparsePointMaze's suites: the default maze, corridors and U shapes by side length, and random spanning trees."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, with_progress
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.point_maze.mazes import (
    GREATEST_SIDE,
    LEAST_SIDE,
    Maze,
    corridor,
    default_maze,
    spanning_tree,
    u_maze,
)
from procgen_bench.tasks.point_maze.solver import path_length
from procgen_bench.tasks.point_maze.task import PointMazeTask

TEST_SEED, TEST_TASKS = 40_401, 500
CORRIDOR_SEED, U_SEED = 40_402, 40_403
SIDES, TASKS_PER_SIDE = range(LEAST_SIDE, GREATEST_SIDE + 1), 20
RANDOM_SEED, RANDOM_TASKS = 40_404, 200


def default_arrays(_: Any) -> Arrays:
    """500 starts and goals in the default maze; arrays as of :func:`maze_suite`."""
    rng, maze = np.random.default_rng(TEST_SEED), default_maze()
    return _suite_arrays([maze.draw_task(rng) for _ in range(TEST_TASKS)], numbered(TEST_TASKS))


def side_arrays(make_maze: Callable[[int], Maze], seed: int, _: Any) -> Arrays:
    """20 starts and goals in the maze of every length from 2 to 10; arrays as of :func:`maze_suite`."""
    rng = np.random.default_rng(seed)
    tasks = [make_maze(side).draw_task(rng) for side in SIDES for _ in range(TASKS_PER_SIDE)]
    names = tuple(f"{side}-{number}" for side in SIDES for number in range(TASKS_PER_SIDE))
    return _suite_arrays(tasks, names) | {"side": np.repeat(np.array(SIDES, np.int8), TASKS_PER_SIDE)}


def random_arrays(space: Any) -> Arrays:
    """200 spanning trees, each with a start and a goal between which 50 steps suffice; arrays as of
    :func:`maze_suite`."""
    rng = np.random.default_rng(RANDOM_SEED)
    solvable = (_solvable_tree(space, rng) for _ in range(RANDOM_TASKS))
    return _suite_arrays(list(with_progress(solvable, "random", RANDOM_TASKS)), numbered(RANDOM_TASKS))


def another_in_maze(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> PointMazeTask:
    """One more start and goal in the cells of the suite's task at ``place``."""
    return space.redrawn(suite.tasks[place], rng)


def another_tree(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> PointMazeTask:
    """One more spanning tree between whose start and goal 50 steps suffice."""
    return _solvable_tree(space, rng)


def _solvable_tree(space: Any, rng: np.random.Generator) -> PointMazeTask:
    while True:
        task = spanning_tree(rng).draw_task(rng)
        if space.is_solvable(task):
            return task


def _suite_arrays(tasks: list[PointMazeTask], names: tuple[str, ...]) -> Arrays:
    """The arrays that a suite's file keeps; every maze once, and each task's place among the mazes."""
    wall_bits = np.stack([np.concatenate([one.vertical_walls, one.horizontal_walls.T], axis=1) for one in tasks])
    _, first_tasks, places = np.unique(wall_bits, axis=0, return_index=True, return_inverse=True)
    return {
        "vertical_walls": np.stack([tasks[first].vertical_walls for first in first_tasks]),
        "horizontal_walls": np.stack([tasks[first].horizontal_walls for first in first_tasks]),
        "maze": places.astype(np.int16),
        "start": np.stack([task.start for task in tasks]),
        "goal": np.stack([task.goal for task in tasks]),
        "length": np.array([path_length(task) for task in tasks], np.int8),
        "name": np.array(names),
    }


def maze_suite(name: str, arrays: Arrays) -> TaskSuite[PointMazeTask]:
    """Tasks of ``test`` and ``random`` by number ("0", "1", ...), of the others by side and number ("2-0" to "10-19").

    The record ``side`` (int64) of the latter holds their length, one cell less than they have, and ``length`` (int64)
    of all the moves between cells on each task's shortest path.

    Args:
        name: Name of the suite.
        arrays: ``vertical_walls`` (bool (mazes, 11, 10)) and ``horizontal_walls`` (bool (mazes, 10, 11)); and of each
            task ``maze`` (int16 (tasks,), its place among them), ``start`` and ``goal`` (float64 (tasks, 2)),
            ``length`` (int8 (tasks,)), ``name`` (str (tasks,)) and, where there is one, ``side`` (int8 (tasks,)).
    """
    places = arrays["maze"]
    walls = arrays["vertical_walls"][places], arrays["horizontal_walls"][places]
    return TaskSuite(
        name=name,
        tasks=tuple(map(PointMazeTask, *walls, arrays["start"], arrays["goal"])),
        task_names=tuple(arrays["name"].tolist()),
        records={record: arrays[record].astype(np.int64) for record in ("length", "side") if record in arrays},
    )


SUITES = FamilySuites[PointMazeTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            maze_suite,
            "a7564f069ac88b23e30762f408bc93ff668e773083a61e4cb64234dbbd3741d6",
            default_arrays,
            another_in_maze,
        ),
        SuiteDescriptor(
            "corridor",
            maze_suite,
            "c665f2adf6d8c9428b46f9f54758939c16abd11a35c1194b714fdc421dcf0546",
            partial(side_arrays, corridor, CORRIDOR_SEED),
            another_in_maze,
        ),
        SuiteDescriptor(
            "u",
            maze_suite,
            "bad12bd168fb2df967a735cc4d3e37dd51ef07fd75ff45bb5d1808c9fe9b7e0d",
            partial(side_arrays, u_maze, U_SEED),
            another_in_maze,
        ),
        SuiteDescriptor(
            "random",
            maze_suite,
            "f669b89cd4d224fa9ccf1800e211b4c7501cd5dc84975344198093209634f797",
            random_arrays,
            another_tree,
        ),
    ),
)

"""Generate SparsePointMaze's data files from fixed seeds.

``python -m procgen_bench.tasks.point_maze.generate [FOLDER]``; without a folder, into the package's own.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.point_maze.mazes import (
    GREATEST_SIDE,
    LEAST_SIDE,
    Maze,
    corridor,
    default_maze,
    spanning_tree,
    u_maze,
)
from procgen_bench.tasks.point_maze.solver import path_length, solve
from procgen_bench.tasks.point_maze.task import PointMazeTask

TEST_SEED, TEST_TASKS = 40_401, 500
CORRIDOR_SEED, U_SEED = 40_402, 40_403
SIDES, TASKS_PER_SIDE = range(LEAST_SIDE, GREATEST_SIDE + 1), 20
RANDOM_SEED, RANDOM_TASKS = 40_404, 200


def default_arrays() -> dict[str, np.ndarray]:
    """``test``: 500 starts and goals in the default maze."""
    rng, maze = np.random.default_rng(TEST_SEED), default_maze()
    return _suite_arrays([maze.draw_task(rng) for _ in range(TEST_TASKS)], _numbers(TEST_TASKS))


def side_arrays(make_maze: Callable[[int], Maze], seed: int) -> dict[str, np.ndarray]:
    """``corridor`` and ``u``: 20 starts and goals in the maze of every side length from 2 to 10."""
    rng = np.random.default_rng(seed)
    tasks = [make_maze(side).draw_task(rng) for side in SIDES for _ in range(TASKS_PER_SIDE)]
    names = [f"{side}-{number}" for side in SIDES for number in range(TASKS_PER_SIDE)]
    return _suite_arrays(tasks, names) | {"side": np.repeat(np.array(SIDES, np.int8), TASKS_PER_SIDE)}


def random_arrays() -> dict[str, np.ndarray]:
    """``random``: 200 spanning trees, each with a start and a goal between which 50 steps suffice."""
    progress = tqdm(_solvable_tasks(np.random.default_rng(RANDOM_SEED)), desc="random", total=RANDOM_TASKS)
    return _suite_arrays([task for task, _ in zip(progress, range(RANDOM_TASKS))], _numbers(RANDOM_TASKS))


def generate(folder: Path) -> dict[str, str]:
    """Write the four files into ``folder``; returns their checksums."""
    suites = {
        "test": default_arrays(),
        "corridor": side_arrays(corridor, CORRIDOR_SEED),
        "u": side_arrays(u_maze, U_SEED),
        "random": random_arrays(),
    }
    return write_suite_files(folder, suites)


def _solvable_tasks(rng: np.random.Generator) -> Iterator[PointMazeTask]:
    while True:
        task = spanning_tree(rng).draw_task(rng)
        if solve(task) is not None:
            yield task


def _suite_arrays(tasks: list[PointMazeTask], names: list[str]) -> dict[str, np.ndarray]:
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


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

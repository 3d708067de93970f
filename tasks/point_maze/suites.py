"""SparsePointMaze's suites: the default maze, corridors and U shapes by side length, and random spanning trees."""

import importlib.resources

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.point_maze.task import PointMazeTask

SUITE_NAMES = ("test", "corridor", "u", "random")

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.point_maze.generate`` writes the files and
#: prints these.
CHECKSUMS = {
    "test": "6a09752866cff4dd190e838547bcca07dcf4636cd0ce6ef35e6a101467605259",
    "corridor": "ff58091bf5f52beff76806c13f6e07409c0febc61be55bd665f5e2719e0377b5",
    "u": "6ddbbecb6083fdf030d6135d6529f757296a232bba10f35881425649d406d98e",
    "random": "909c7016d56278aa4721b7cc9a3f2472c06d46d8b3adba90040cea44c7c73a12",
}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``.

    Tasks of ``test`` and ``random`` are named by their place ("0", "1", ...); those of ``corridor`` and ``u`` by side
    length in cells and place within it ("2-0" to "10-19"), and their record ``side`` (int64) holds the former. The
    record ``length`` (int64) holds the moves between cells on each task's shortest path.
    """
    path = importlib.resources.files("procgen_bench.tasks.point_maze") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    # A file keeps each maze once, and for every task the place of its maze.
    mazes = list(zip(arrays["vertical_walls"], arrays["horizontal_walls"]))
    tasks = (
        PointMazeTask(*mazes[maze], start, goal)
        for maze, start, goal in zip(arrays["maze"], arrays["start"], arrays["goal"])
    )
    return TaskSuite(
        name=name,
        tasks=tuple(tasks),
        task_names=tuple(arrays["name"].tolist()),
        records={record: arrays[record].astype(np.int64) for record in ("length", "side") if record in arrays},
    )

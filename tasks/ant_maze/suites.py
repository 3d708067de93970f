"""SparseAntMaze's suite: held-out tasks of the paper's distribution."""

import importlib.resources

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.ant_maze.task import AntMazeTask

SUITE_NAMES = ("test",)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.ant_maze.generate`` writes the files and prints
#: these.
CHECKSUMS = {"test": "2a2e9c2a5d4ab391cfb2e0b4e138f560aacb97dc3771c8433ce6893bb0d7a4d2"}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its record ``length`` (float64) holds the length of each task's shortest way."""
    path = importlib.resources.files("procgen_bench.tasks.ant_maze") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    return TaskSuite(
        name=name,
        tasks=tuple(AntMazeTask(start, goal) for start, goal in zip(arrays["start"], arrays["goal"])),
        task_names=tuple(str(index) for index in range(len(arrays["goal"]))),
        records={"length": arrays["length"]},
    )

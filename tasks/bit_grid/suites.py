"""BitGrid's suite: held-out tasks of the paper's distribution."""

import importlib.resources

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.bit_grid.task import BitGridTask

SUITE_NAMES = ("test",)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.bit_grid.generate`` writes the files and prints
#: these.
CHECKSUMS = {"test": "67cc695f3a4da327326d6b62012fd0917acc18d4f05d06b0ca9d7431a7d7b320"}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its record ``length`` (int64) holds each task's shortest solution."""
    path = importlib.resources.files("procgen_bench.tasks.bit_grid") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    return TaskSuite(
        name=name,
        tasks=tuple(BitGridTask(start, goal) for start, goal in zip(arrays["starts"], arrays["goals"])),
        task_names=tuple(str(index) for index in range(len(arrays["goals"]))),
        records={"length": arrays["length"].astype(np.int64)},
    )

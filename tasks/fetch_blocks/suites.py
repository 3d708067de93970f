"""FetchBlocks' suite: held-out tasks of the paper's distribution."""

import importlib.resources

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask

SUITE_NAMES = ("test",)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.fetch_blocks.generate`` writes the files and
#: prints these.
CHECKSUMS = {"test": "1ace9188cd0a5ed8fc3e47b5c9a1725562f2dec3f536a3e0d7aff32a9ee84f48"}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``, of tasks with four blocks."""
    path = importlib.resources.files("procgen_bench.tasks.fetch_blocks") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    starts = map(FetchBlocksStart, arrays["places"], arrays["levels"], arrays["gripper"])
    return TaskSuite(
        name=name,
        tasks=tuple(map(FetchBlocksTask, starts, arrays["first"].tolist(), arrays["goal"])),
        task_names=tuple(str(index) for index in range(len(arrays["goal"]))),
    )

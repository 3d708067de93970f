"""FetchBlocks' suite: held-out tasks of the paper's distribution."""

import importlib.resources

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask

SUITE_NAMES = ("test",)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.fetch_blocks.generate`` writes the files and
#: prints these.
CHECKSUMS = {"test": "8b79bdce429e71465d0afb7d5a84a0fcf27327a23e9571c3558d95fbcfccd34b"}


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

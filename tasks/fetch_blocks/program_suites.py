"""FetchProgram's suite: 100 starts for each of the five groups of programs of the paper's table 2."""

import importlib.resources

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.programs import PROGRAMS

SUITE_NAMES = ("groups",)
#: Tasks of every group.
GROUP_TASKS = 100

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.envs.fetch_blocks.scripted.generate`` writes the file
#: and prints this.
CHECKSUMS = {"groups": "e966d27be1ba2b7db85a023db7ac8472f50610fc7f776865f8301e23702fd2e9"}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its tasks are named by their group and place, like ``"clean_table/17"``.

    Its records: ``group`` (int64), the group's place in :data:`procgen_bench.tasks.programs.GROUPS`; ``steps``
    (int64), after how many steps the scripted expert has done the program's work, which proves that it can be done.
    """
    path = importlib.resources.files("procgen_bench.tasks.fetch_blocks") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    starts = map(FetchBlocksStart, arrays["places"], arrays["levels"], arrays["gripper"])
    names = np.array(list(PROGRAMS))[arrays["program"]].tolist()
    return TaskSuite(
        name=name,
        tasks=tuple(map(FetchProgramTask, starts, names)),
        task_names=tuple(arrays["name"].tolist()),
        records={record: arrays[record].astype(np.int64) for record in ("group", "steps")},
    )

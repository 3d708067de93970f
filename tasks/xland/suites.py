"""XLand's suites: test, validation, and the hand-authored tasks (4.2, 4.3)."""

import importlib.resources
from functools import partial

from procgen_bench.errors import UnknownNameError
from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TasksOnDemand, TaskSuite
from procgen_bench.tasks.xland.evaluation.packing import unpack_task
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names

SUITE_NAMES = ("test", "validation", "hand_authored")

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.xland.generate`` writes the files and prints
#: these.
CHECKSUMS = {
    "test": "cca41f8a0a6c5da1f6bef11128df6f48e75aa28b9591f4b4cd7a6d05a2b4b486",
    "validation": "fe9a81810e2601a27667a4eab2cef08311fc2c7c057e8c6111277ad6917e8e9b",
}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its tasks are built when they are asked for.

    Tasks of ``test`` (1,678) and ``validation`` (2,900) are named by their place ("0", "1", ...), and leave co-players
    to whoever plays them: in the evaluation each is played with all seven of
    :data:`~procgen_bench.tasks.xland.co_players.TEST_CO_PLAYERS`. The 42 of ``hand_authored`` have names like
    ``"find_cube"`` and name their co-players; what else is known of them is in
    :mod:`procgen_bench.tasks.xland.hand_authored`.

    Raises:
        UnknownNameError: There is no such suite.
        CorruptSuiteError: The suite's file does not hold what was published.
    """
    if name not in SUITE_NAMES:
        raise UnknownNameError("suite", name, list(SUITE_NAMES))
    if name == "hand_authored":
        names = task_names()
        return TaskSuite(name, TasksOnDemand(len(names), lambda place: hand_authored_task(names[place]).task), names)
    path = importlib.resources.files("procgen_bench.tasks.xland") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    count = len(arrays["extents"])
    return TaskSuite(name, TasksOnDemand(count, partial(unpack_task, arrays)), tuple(map(str, range(count))))

"""XLand's suites: test, validation, the hand-authored tasks, and the test tasks with their co-players (4.2, 4.3)."""

import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from procgen_bench.errors import UnknownNameError
from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TasksOnDemand, TaskSuite
from procgen_bench.tasks.xland.co_players import evaluation_teams
from procgen_bench.tasks.xland.evaluation.mini import MINI_PLACES
from procgen_bench.tasks.xland.evaluation.packing import unpack_task
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names
from procgen_bench.tasks.xland.task import XLandTask

#: The suites in which every task is another world and another game.
SOURCES = ("test", "validation", "hand_authored")
#: The suites in which test tasks stand once for every team that they are played with.
EVALUATION_SUITES = ("evaluation", "evaluation_mini")
SUITE_NAMES = (*SOURCES, *EVALUATION_SUITES)

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.xland.generate`` writes the files and prints
#: these.
CHECKSUMS = {
    "test": "cca41f8a0a6c5da1f6bef11128df6f48e75aa28b9591f4b4cd7a6d05a2b4b486",
    "validation": "fe9a81810e2601a27667a4eab2cef08311fc2c7c057e8c6111277ad6917e8e9b",
}


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its tasks are built when they are asked for.

    Tasks of ``test`` (1,678) and ``validation`` (2,900) are named by their place ("0", "1", ...), and leave co-players
    to whoever plays them. The 42 of ``hand_authored`` have names like ``"find_cube"`` and name their co-players; what
    else is known of them is in :mod:`procgen_bench.tasks.xland.hand_authored`.

    ``evaluation`` (11,746) holds every test task with each of the seven co-players of the evaluation
    (:func:`~procgen_bench.tasks.xland.co_players.evaluation_teams`), named ``"17-hunter"``; a task of one player would
    stand there once, as ``"17"``. ``evaluation_mini`` (700) does the same of the 100 test tasks of
    :data:`~procgen_bench.tasks.xland.evaluation.mini.MINI_PLACES`.

    Raises:
        UnknownNameError: There is no such suite.
        CorruptSuiteError: The suite's file does not hold what was published.
    """
    if name not in SUITE_NAMES:
        raise UnknownNameError("suite", name, list(SUITE_NAMES))
    if name == "hand_authored":
        names = task_names()
        return TaskSuite(name, TasksOnDemand(len(names), lambda place: hand_authored_task(names[place]).task), names)
    arrays = _read_arrays("test" if name in EVALUATION_SUITES else name)
    count = len(arrays["extents"])
    if name in EVALUATION_SUITES:
        return _with_teams(name, arrays, MINI_PLACES if name == "evaluation_mini" else range(count))
    return TaskSuite(name, TasksOnDemand(count, partial(unpack_task, arrays)), tuple(map(str, range(count))))


def _read_arrays(name: str) -> dict[str, np.ndarray]:
    path = importlib.resources.files("procgen_bench.tasks.xland") / "data" / f"{name}.npz"
    return read_suite_file(path, CHECKSUMS[name])


def _with_teams(name: str, arrays: Mapping[str, np.ndarray], places: Iterable[int]) -> TaskSuite:
    """The tasks of these places, each with every team that it is played with."""
    tasks = TasksOnDemand(len(arrays["extents"]), partial(unpack_task, arrays))
    num_players = arrays["extents"][:, 3].tolist()
    meetings = [(place, team) for place in places for team in evaluation_teams(num_players[place])]

    def build(number: int) -> XLandTask:
        place, team = meetings[number]
        return replace(tasks[place], co_players=team)

    names = tuple("-".join((str(place), *team[:1])) for place, team in meetings)
    return TaskSuite(name, TasksOnDemand(len(meetings), build), names)

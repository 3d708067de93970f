"""FetchProgram's suite: 100 starts for each of the five groups of programs of the paper's table 2."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.program_task import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.start import starts_from_arrays
from procgen_bench.tasks.programs import PROGRAMS

#: Tasks of every group.
GROUP_TASKS = 100
#: Starts are at random places, as in the paper once its policy is trained.
RANDOMNESS = 1.0


def groups_suite(name: str, arrays: Arrays) -> TaskSuite[FetchProgramTask]:
    """The tasks of the file's ``arrays``, which are named by their group and place, like ``"clean_table/17"``.

    These are starts as of :func:`.starts_to_arrays`, ``program`` (int8 (500,)), its place in ``PROGRAMS``, ``name``
    (str (500,)), and the records ``group`` (int8 (500,)) and ``steps`` (int16 (500,)).

    The records: ``group`` (int64 (500,)), the group's place in :data:`procgen_bench.tasks.programs.GROUPS`; ``steps``
    (int64 (500,)), after how many steps the scripted expert has done the program's work, which proves that it can be
    done.
    """
    programs = np.array(list(PROGRAMS))[arrays["program"]].tolist()
    return TaskSuite(
        name=name,
        tasks=tuple(map(FetchProgramTask, starts_from_arrays(arrays), programs)),
        task_names=tuple(arrays["name"].tolist()),
        records={record: arrays[record].astype(np.int64) for record in ("group", "steps")},
    )


def another_start(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> FetchProgramTask:
    """One more start for the program of the suite's task at ``place``; one that is too much for the expert is redrawn.

    It takes the solver that :func:`procgen_bench.make_task_space` hands over.
    """
    program = PROGRAMS[suite.tasks[place].program]
    while True:
        task = draw_program_task(rng, program, RANDOMNESS)
        if space.is_solvable(task):
            return task


#: Drawn with the scripted expert in the simulation: ``python -m procgen_bench.envs.fetch_blocks.scripted.generate``.
PROGRAM_SUITES = FamilySuites[FetchProgramTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "groups",
            groups_suite,
            "3d2fd1e357f25124cee01ede8bb9821ad6ae8337c00d6054f476b23bcf6cc89b",
            draw_like=another_start,
        ),
    ),
)

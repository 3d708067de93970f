"""TablePush's suites: targets of rising difficulty, solvable tables graded by length, and uniform samples."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.table_push.drawing import draw_of_length, draw_uniform
from procgen_bench.tasks.table_push.table import HORIZON
from procgen_bench.tasks.table_push.task import TablePushTask

#: A: round a roadblock. B: along a winding way between roadblocks and pits. C: a longer one, in which a can stands that
#: must first be pushed along and aside. out-of-space: a larger table with slanting static obstacles.
TARGETS = {
    "A": """
        ......
        ..#...
        ..#...
        o.....
        target: 22.5 22.5
        can 1: 7.5 52.5
        can 2: absent
        goal: 67.5 22.5
        goal range: 40
        """,
    "B": """
        ..#..o
        .oo#..
        ...#o.
        .#....
        target: 7.5 7.5
        can 1: 7.5 37.5
        can 2: 67.5 52.5
        goal: 82.5 37.5
        goal range: 30
        """,
    "C": """
        ..o...
        .##.#.
        ...#..
        o#....
        target: 7.5 52.5
        can 1: 52.5 7.5
        can 2: absent
        goal: 82.5 52.5
        goal range: 20
        """,
    "out-of-space": """
        ......o
        .......
        ...o...
        .......
        o......
        target: 14 58
        can 1: 63 29
        can 2: 75 43
        goal: 90 12
        goal range: 30
        obstacle: 35 59 14 1.5 0.9
        obstacle: 72 12 12 1.5 -0.7
        """,
}

#: Shortest plans, as actions (4 * can + direction), as the solver in the simulator finds them.
TARGET_PLANS = {
    "A": (3, 0, 0, 0, 2),
    "B": (2, 0, 0, 3, 0, 0, 0, 2, 2),
    "C": (3, 3, 0, 0, 4, 3, 0, 4, 0, 2, 0, 2, 2),
    "out-of-space": (3, 0, 3, 0, 6, 0, 0, 0, 3),
}
#: What fills plans up to the horizon, the recorded length of a task that cannot be solved, and where absent cans are.
NO_ACTION = UNSOLVABLE = NOWHERE = -1

_MICROMETRES = 1e6


def targets_suite(name: str, _: Arrays) -> TaskSuite[TablePushTask]:
    """The four targets by name, with the records of :func:`drawn_suite`, int64 (4,) and (4, 15)."""
    plans = padded_plans([np.array(plan, np.int64) for plan in TARGET_PLANS.values()])
    tasks = tuple(map(TablePushTask.from_text, TARGETS.values()))
    return TaskSuite(name, tasks, tuple(TARGETS), _records(plans))


def drawn_suite(name: str, arrays: Arrays) -> TaskSuite[TablePushTask]:
    """The tasks of ``arrays``, as of :func:`suite_arrays`, by number. The record ``plan`` (int64 (tasks, 15)) is each's
    shortest plan, filled up with -1, and ``length`` (int64 (tasks,)) the plan's length, -1 for unsolvable."""
    objects = np.where(arrays["objects"] == NOWHERE, np.nan, arrays["objects"] / _MICROMETRES)
    goals, ranges = arrays["goal"] / _MICROMETRES, (arrays["goal_range"] / _MICROMETRES).tolist()
    tasks = tuple(map(TablePushTask, arrays["blocks"], objects, goals, ranges))
    return TaskSuite(name, tasks, numbered(len(tasks)), _records(arrays["plan"].astype(np.int64)))


def suite_arrays(tasks: Sequence[TablePushTask], plans: Sequence[np.ndarray | None]) -> Arrays:
    """The arrays that the file of a :func:`drawn_suite` keeps: places in whole micrometres.

    Args:
        tasks: N tasks on tables of 6 x 4 blocks.
        plans: Each's shortest plan, int64 (pushes,), of 15 at most; ``None`` for unsolvable.

    Returns:
        int8 ``blocks`` (N, 6, 4) and ``plan`` (N, 15), ended by -1; int32 ``objects`` (N, 3, 2), ``goal`` (N, 2) and
        ``goal_range`` (N,), micrometres, -1 for absent cans.
    """
    objects = np.stack([task.objects for task in tasks])
    places = {
        "objects": np.where(np.isnan(objects), NOWHERE / _MICROMETRES, objects),
        "goal": np.stack([task.goal for task in tasks]),
        "goal_range": np.array([task.goal_range for task in tasks]),
    }
    return {
        "blocks": np.stack([task.blocks for task in tasks]),
        **{name: np.rint(values * _MICROMETRES).astype(np.int32) for name, values in places.items()},
        "plan": padded_plans(plans).astype(np.int8),
    }


def padded_plans(plans: Sequence[np.ndarray | None]) -> np.ndarray:
    """N plans, int64 (pushes,) each (``None``: none), filled up with -1 to the horizon: int64 (N, 15)."""
    padded = np.full((len(plans), HORIZON), NO_ACTION, np.int64)
    for row, plan in zip(padded, plans):
        if plan is not None:
            row[: len(plan)] = plan
    return padded


def graded_like(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> TablePushTask:
    """One more task of the length of the suite's at ``place``."""
    return draw_of_length(space, int(suite.records["length"][place]), rng)[0]


def random_like(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> TablePushTask:
    """One more task of uniform parameters."""
    return draw_uniform(space, rng)


def _records(plans: np.ndarray) -> dict[str, np.ndarray]:
    lengths = (plans != NO_ACTION).sum(axis=1)
    return {"length": np.where(lengths > 0, lengths, UNSOLVABLE), "plan": plans}


SUITES = FamilySuites[TablePushTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor("targets", targets_suite),
        SuiteDescriptor(
            "graded",
            drawn_suite,
            "b697ac818ca73d814bef9403717c3b84b0770199dcea0bf031871b098472b262",
            draw_like=graded_like,
        ),
        SuiteDescriptor(
            "random",
            drawn_suite,
            "b8440cc8459280a2396ff7fc0ec44a4b471614cee8a1a583108ed842638de023",
            draw_like=random_like,
        ),
    ),
)

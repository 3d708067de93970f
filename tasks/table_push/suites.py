"""TablePush's suite: three targets of rising difficulty, and one that the parameters cannot make."""

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite
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
#: What fills plans up to the horizon.
NO_ACTION = -1


def targets_suite(name: str, _: Arrays) -> TaskSuite[TablePushTask]:
    """The targets by name. Of each task ``length`` (int64) is the length of its shortest plan, and ``plan`` (int64
    (15,)) the plan, filled up with -1."""
    plans = np.full((len(TARGETS), HORIZON), NO_ACTION, np.int64)
    for row, target in zip(plans, TARGETS):
        row[: len(TARGET_PLANS[target])] = TARGET_PLANS[target]
    return TaskSuite(
        name=name,
        tasks=tuple(TablePushTask.from_text(text) for text in TARGETS.values()),
        task_names=tuple(TARGETS),
        records={"length": (plans != NO_ACTION).sum(axis=1), "plan": plans},
    )


SUITES = FamilySuites[TablePushTask](descriptors=(SuiteDescriptor("targets", targets_suite),))

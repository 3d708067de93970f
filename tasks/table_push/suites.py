"""TablePush's suite: three targets of rising difficulty, and one that the parameters cannot make."""

import numpy as np

from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.table_push.table import HORIZON
from procgen_bench.tasks.table_push.task import TablePushTask

SUITE_NAMES = ("targets",)

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
        target: 14 62
        can 1: 60 38
        can 2: 92 30
        goal: 90 12
        goal range: 30
        obstacle: 34 58 14 1.5 0.9
        obstacle: 70 26 12 1.5 -0.7
        """,
}

#: Shortest plans, as actions; ``python -m procgen_bench.tasks.table_push.generate`` finds them again.
TARGET_PLANS: dict[str, tuple[int, ...]] = {}
#: What fills plans up to the horizon.
NO_ACTION = -1


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``. Of each task ``length`` (int64) is the length of its shortest plan, and ``plan`` (int64
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

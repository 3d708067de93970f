"""CompositionalMiniGrid's suite: every design, 20 rooms of each."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, with_progress
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.tasks.compositional_minigrid.layout import drawn_task
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS
from procgen_bench.tasks.compositional_minigrid.task import CompositionalMiniGridTask

ROOMS_PER_DESIGN = 20

#: What a design's name is made of, in the subtasks' order.
SHORT_NAMES = ("key", "door", "ball", "box", "drop")
_NO_SUBTASK = "goal"
#: Fields of a task, which its file keeps by these names.
_FIELDS = ("subtasks", "agent", "places", "colours")


def designs() -> list[np.ndarray]:
    """Every set of subtasks (int8 (5,)), by size: 1, 5, 10, 10, 5 and 1 of them."""
    every = [np.array(asked, np.int8) for asked in product((1, 0), repeat=NUM_SUBTASKS)]
    return sorted(every, key=lambda design: design.sum())


def design_name(subtasks: np.ndarray) -> str:
    """The name of a design, ``subtasks`` int8 (5,), 0 or 1, for example ``"key+door"``; ``"goal"`` when no subtask is
    asked."""
    return "+".join(name for name, asked in zip(SHORT_NAMES, subtasks) if asked) or _NO_SUBTASK


def rooms_arrays(space: Any) -> Arrays:
    """20 rooms of every design, each drawn by a seed bound to the suite, the design and the room's number.

    Returns:
        The tasks' fields, int8 (640, ...), and ``length``, int16 (640,), the steps of each's shortest solution.
    """
    tasks = [
        drawn_task(design, seed_from_parts("CompositionalMiniGrid", "test", design_name(design), room))
        for design in designs()
        for room in range(ROOMS_PER_DESIGN)
    ]
    lengths = np.array([len(space.solve(task)) for task in with_progress(tasks, "test", len(tasks))], np.int16)
    return {name: np.stack([getattr(task, name) for task in tasks]) for name in _FIELDS} | {"length": lengths}


def rooms_suite(name: str, arrays: Arrays) -> TaskSuite[CompositionalMiniGridTask]:
    """The 640 tasks of :func:`rooms_arrays`, named ``DESIGN-NUMBER`` (``"key+door-7"``), grouped by the size of their
    design.

    Its records, int64 (640,): ``size``, how many subtasks are asked for besides the goal, and ``length``, steps of the
    shortest solution.
    """
    names = (f"{design_name(asked)}-{place % ROOMS_PER_DESIGN}" for place, asked in enumerate(arrays["subtasks"]))
    return TaskSuite(
        name=name,
        tasks=tuple(map(CompositionalMiniGridTask, *(arrays[field] for field in _FIELDS))),
        task_names=tuple(names),
        records={
            "size": arrays["subtasks"].sum(axis=1, dtype=np.int64),
            "length": arrays["length"].astype(np.int64),
        },
    )


def another_room(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> CompositionalMiniGridTask:
    """One more room of the design of the suite's at ``place``."""
    return space.sample_placement(suite.tasks[place].subtasks, rng)


SUITES = FamilySuites[CompositionalMiniGridTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            rooms_suite,
            "51e9fd94d1ff41ba149c58dfcbd811eff80597e2be0e14f78f6808f016718408",
            rooms_arrays,
            another_room,
        ),
    ),
)

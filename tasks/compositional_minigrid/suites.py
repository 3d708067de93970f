"""CompositionalMiniGrid's suite: every design, 20 rooms of each."""

import importlib.resources
from itertools import product

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS
from procgen_bench.tasks.compositional_minigrid.task import CompositionalMiniGridTask

SUITE_NAMES = ("test",)
ROOMS_PER_DESIGN = 20

#: What a design's name is made of, in the subtasks' order.
SHORT_NAMES = ("key", "door", "ball", "box", "drop")
_NO_SUBTASK = "goal"

#: SHA-256 over the data file's arrays; ``python -m procgen_bench.tasks.compositional_minigrid.generate`` writes the
#: file and prints this.
CHECKSUMS = {"test": "51e9fd94d1ff41ba149c58dfcbd811eff80597e2be0e14f78f6808f016718408"}


def designs() -> list[np.ndarray]:
    """Every set of subtasks (int8 (5,)), by size: 1, 5, 10, 10, 5 and 1 of them."""
    every = [np.array(asked, np.int8) for asked in product((1, 0), repeat=NUM_SUBTASKS)]
    return sorted(every, key=lambda design: design.sum())


def design_name(subtasks: np.ndarray) -> str:
    """For example ``"key+door"``; ``"goal"`` when no subtask is asked."""
    return "+".join(name for name, asked in zip(SHORT_NAMES, subtasks) if asked) or _NO_SUBTASK


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``: 640 tasks named ``DESIGN-NUMBER`` (``"key+door-7"``), grouped by the size of their design.

    Its records: ``size`` (int64), how many subtasks are asked besides the goal, and ``length`` (int64), of the
    shortest solution.
    """
    path = importlib.resources.files("procgen_bench.tasks.compositional_minigrid") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    fields = zip(arrays["subtasks"], arrays["agent"], arrays["places"], arrays["colours"])
    return TaskSuite(
        name=name,
        tasks=tuple(CompositionalMiniGridTask(*values) for values in fields),
        task_names=tuple(
            f"{design_name(subtasks)}-{place % ROOMS_PER_DESIGN}" for place, subtasks in enumerate(arrays["subtasks"])
        ),
        records={
            "size": arrays["subtasks"].sum(axis=1, dtype=np.int64),
            "length": arrays["length"].astype(np.int64),
        },
    )

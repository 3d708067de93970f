"""GridWorld's suites: the paper's three targets, uniform samples, and solvable tasks graded by length."""

import importlib.resources

import numpy as np

from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.grid_world.task import GridWorldTask

SUITE_NAMES = ("targets", "graded", "random")

#: Targets A, B and C (figure 2 restored as text). A: a locked room around the goal. B: key a opens the room that holds
#: key b, key b the goal's. C: as B, with a labyrinth and lava along the only corridor.
TARGETS = {
    "A": """
        ........
        ........
        ........
        ....####
        ....#...
        ....A...
        ....#...
        a...#..G""",
    "B": """
        ....#..b
        ....#...
        ....A...
        ....####
        ....#...
        ....B...
        ....#...
        a...#..G""",
    "C": """
        ....#~.b
        ~##.#~.~
        ....A...
        .~#~####
        .~~~#~~~
        ....B..G
        ~a######
        ~~~~~~~~""",
}
TARGET_LENGTHS = {"A": 18, "B": 36, "C": 46}

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.grid_world.generate`` writes the files and
#: prints these.
CHECKSUMS = {
    "graded": "2c8e17ed83d771f9ffd3180a8d67eea55fffaf5d0fc13a8122866f3c7851fa38",
    "random": "53e42ac7e5f851b069dbed58349f89df451377cd9f6fc6d63dec554ad9a99200",
}

#: Recorded length of a task that cannot be solved.
UNSOLVABLE = -1


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its record ``length`` (int64) holds each task's shortest solution, -1 for unsolvable."""
    if name == "targets":
        return TaskSuite(
            name=name,
            tasks=tuple(GridWorldTask.from_text(text) for text in TARGETS.values()),
            task_names=tuple(TARGETS),
            records={"length": np.array([TARGET_LENGTHS[target] for target in TARGETS])},
        )
    path = importlib.resources.files("procgen_bench.tasks.grid_world") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    return TaskSuite(
        name=name,
        tasks=tuple(GridWorldTask(tiles, objects) for tiles, objects in zip(arrays["tiles"], arrays["objects"])),
        task_names=tuple(str(index) for index in range(len(arrays["tiles"]))),
        records={"length": arrays["length"].astype(np.int64)},
    )

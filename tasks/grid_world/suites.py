"""GridWorld's suites: the paper's three targets, uniform samples, and solvable tasks graded by length."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, with_progress
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.grid_world.solver import lengthen
from procgen_bench.tasks.grid_world.task import GridWorldTask

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
        .##~#..b
        .#~.#...
        ....A...
        .#~.####
        .##.#...
        .#~.B..G
        .##.#...
        .~#a####""",
}
TARGET_LENGTHS = {"A": 18, "B": 36, "C": 34}

#: Recorded length of a task that cannot be solved.
UNSOLVABLE = -1

RANDOM_SEED, RANDOM_TASKS = 20_201, 1_000
GRADED_SEED, GRADED_LENGTHS, GRADED_TASKS_PER_LENGTH = 20_202, range(1, 41), 5
#: Mutations in a row that do not lengthen a task before the search starts over from another sample.
_PATIENCE = 2_000


def random_arrays(space: Any) -> Arrays:
    """1,000 tasks of parameters drawn uniformly from the space: int8 ``tiles`` (1000, 8, 8), ``objects`` (1000, 5, 2)
    and ``length`` (1000,)."""
    rng = np.random.default_rng(RANDOM_SEED)
    return _suite_arrays(space, [_uniform(space, rng) for _ in range(RANDOM_TASKS)])


def graded_arrays(space: Any) -> Arrays:
    """200 distinct solvable tasks, five of every shortest length from 1 to 40: int8 ``tiles`` (200, 8, 8), ``objects``
    (200, 5, 2) and ``length`` (200,)."""
    rng = np.random.default_rng(GRADED_SEED)
    tasks: dict[GridWorldTask, None] = {}
    for length in with_progress(GRADED_LENGTHS, "graded", len(GRADED_LENGTHS)):
        while len(tasks) < GRADED_TASKS_PER_LENGTH * (length - GRADED_LENGTHS.start + 1):
            tasks.setdefault(_lengthened(space, length, rng))
    return _suite_arrays(space, list(tasks))


def _uniform(space: Any, rng: np.random.Generator) -> GridWorldTask:
    return space.decode(space.sample(rng))


def _lengthened(space: Any, length: int, rng: np.random.Generator) -> GridWorldTask:
    """A task of exactly ``length``: a solvable sample, mutated until it has that."""
    while True:
        sample = _uniform(space, rng)
        tiles, objects = sample.tiles.copy(), sample.objects.copy()
        if lengthen(rng, tiles, objects, length, _PATIENCE):
            return GridWorldTask(tiles, objects)


def _solution_length(space: Any, task: GridWorldTask) -> int:
    solution = space.solve(task)
    return UNSOLVABLE if solution is None else len(solution)


def _suite_arrays(space: Any, tasks: list[GridWorldTask]) -> Arrays:
    """The arrays that a suite's file keeps: tiles, objects, and the shortest length of each task."""
    return {
        "tiles": np.stack([task.tiles for task in tasks]),
        "objects": np.stack([task.objects for task in tasks]),
        "length": np.array([_solution_length(space, task) for task in tasks], np.int8),
    }


def sample_like(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> GridWorldTask:
    """One more task of uniform parameters."""
    return _uniform(space, rng)


def graded_like(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> GridWorldTask:
    """One more task of the length of the suite's at ``place``."""
    return _lengthened(space, int(suite.records["length"][place]), rng)


def targets_suite(name: str, _: Arrays) -> TaskSuite[GridWorldTask]:
    """The paper's targets by letter; the record ``length`` (int64 (3,)) holds the steps of each's shortest solution."""
    tasks = tuple(map(GridWorldTask.from_text, TARGETS.values()))
    return TaskSuite(name, tasks, tuple(TARGETS), {"length": np.array([TARGET_LENGTHS[target] for target in TARGETS])})


def drawn_suite(name: str, arrays: Arrays) -> TaskSuite[GridWorldTask]:
    """The tasks of :func:`graded_arrays` or :func:`random_arrays` by number; the record ``length`` (int64 (tasks,))
    holds the steps of each's shortest solution, -1 for unsolvable."""
    tasks = tuple(map(GridWorldTask, arrays["tiles"], arrays["objects"]))
    return TaskSuite(name, tasks, numbered(len(tasks)), {"length": arrays["length"].astype(np.int64)})


SUITES = FamilySuites[GridWorldTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor("targets", targets_suite),
        SuiteDescriptor(
            "graded",
            drawn_suite,
            "2c8e17ed83d771f9ffd3180a8d67eea55fffaf5d0fc13a8122866f3c7851fa38",
            graded_arrays,
            graded_like,
        ),
        SuiteDescriptor(
            "random",
            drawn_suite,
            "53e42ac7e5f851b069dbed58349f89df451377cd9f6fc6d63dec554ad9a99200",
            random_arrays,
            sample_like,
        ),
    ),
)

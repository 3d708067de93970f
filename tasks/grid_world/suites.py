"""Suites of GridWorld and GridWorldLarge: targets, uniform samples, and tasks graded by their solutions' length."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor, with_progress
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.grid_world.solver import lengthen
from procgen_bench.tasks.grid_world.task import GridWorldLargeTask, GridWorldTask

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
#: Targets of GridWorldLarge-v0 (ours): three rooms in a row, two doors before each, and the goal in the last. The six
#: keys lie at the ends of corridors through lava, and may be taken in any order: A: at those of two, three each; B: two
#: beside the start, four at the end of one long corridor; C: all at its end. So an agent that tries everything does so
#: with each of 64 sets of keys; a corridor without an end of any use is among it.
LARGE_TARGETS = {
    "A": """
        ................
        .~~~~~~~~~~~~~~.
        .~..............
        .~a~b~c~~~~~~~~~
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~.
        .~..............
        .~d~e~f~~~~~~~~~
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        .AB...CD...EF..G
        ~##...##...##...""",
    "B": """
        .~a~b~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~.
        .~..............
        .~.~~~~~~~~~~~~~
        .~..............
        .~~~~~~~~~~~~~~.
        .~..............
        .~c~d~e~f~~~~~~~
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        .AB...CD...EF..G
        ~##...##...##...""",
    "C": """
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~.
        .~..............
        .~.~~~~~~~~~~~~~
        .~..............
        .~~~~~~~~~~~~~~.
        .~..............
        .~a~b~c~d~e~f~~~
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        ................
        .~~~~~~~~~~~~~~~
        .AB...CD...EF..G
        ~##...##...##...""",
}
LARGE_TARGET_LENGTHS = dict.fromkeys(LARGE_TARGETS, 161)

#: What a suite's file keeps lengths as.
_LENGTH_TYPES = {GridWorldTask: np.int8, GridWorldLargeTask: np.int16}
#: Recorded length of a task that cannot be solved.
UNSOLVABLE = -1

RANDOM_SEED, RANDOM_TASKS = 20_201, 1_000
GRADED_SEED, GRADED_LENGTHS = 20_202, range(1, 41)
LARGE_GRADED_SEED, LARGE_GRADED_LENGTHS = 20_204, range(4, 161, 4)
GRADED_TASKS_PER_LENGTH = 5
LARGE_RANDOM_SEED = 20_203
#: Mutations in a row that do not lengthen a task before the search starts over from another sample. Of the large grid's
#: samples one in eighty can be solved, so starting over costs more there.
_PATIENCE = {GridWorldTask: 2_000, GridWorldLargeTask: 20_000}


def random_arrays(space: Any, seed: int) -> Arrays:
    """1,000 tasks of parameters drawn uniformly from the space: int8 ``tiles`` (1000, side, side), ``objects`` (1000,
    objects, 2) and ``length`` (1000,)."""
    rng = np.random.default_rng(seed)
    return _suite_arrays(space, [_uniform(space, rng) for _ in range(RANDOM_TASKS)])


def graded_arrays(space: Any, seed: int, lengths: range) -> Arrays:
    """Distinct solvable tasks, five of every one of the shortest lengths: int8 ``tiles`` (tasks, side, side) and
    ``objects`` (tasks, objects, 2), and ``length`` (tasks,)."""
    rng = np.random.default_rng(seed)
    tasks: dict[GridWorldTask, None] = {}
    for place, length in enumerate(with_progress(lengths, "graded", len(lengths))):
        while len(tasks) < GRADED_TASKS_PER_LENGTH * (place + 1):
            tasks.setdefault(_lengthened(space, length, rng))
    return _suite_arrays(space, list(tasks))


def _uniform(space: Any, rng: np.random.Generator) -> GridWorldTask:
    return space.decode(space.sample(rng))


def _solvable(space: Any, rng: np.random.Generator) -> GridWorldTask:
    return space.draw_solvable(rng, 1)[0]


def _lengthened(space: Any, length: int, rng: np.random.Generator) -> GridWorldTask:
    """A task of exactly ``length``: a solvable sample, mutated until it has that."""
    draw = _solvable if space.task_type is GridWorldLargeTask else _uniform
    while True:
        sample = draw(space, rng)
        tiles, objects = sample.tiles.copy(), sample.objects.copy()
        if lengthen(rng, tiles, objects, length, _PATIENCE[space.task_type]):
            return type(sample)(tiles, objects)


def _solution_length(space: Any, task: GridWorldTask) -> int:
    solution = space.solve(task)
    return UNSOLVABLE if solution is None else len(solution)


def _suite_arrays(space: Any, tasks: list[GridWorldTask]) -> Arrays:
    """The arrays that a suite's file keeps: tiles, objects, and the shortest length of each task."""
    return {
        "tiles": np.stack([task.tiles for task in tasks]),
        "objects": np.stack([task.objects for task in tasks]),
        "length": np.array([_solution_length(space, task) for task in tasks], _LENGTH_TYPES[space.task_type]),
    }


def sample_like(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> GridWorldTask:
    """One more task of uniform parameters."""
    return _uniform(space, rng)


def graded_like(space: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> GridWorldTask:
    """One more task of the length of the suite's at ``place``."""
    return _lengthened(space, int(suite.records["length"][place]), rng)


def targets_suite(
    name: str, _: Arrays, kind: type[GridWorldTask], texts: Mapping[str, str], lengths: Mapping[str, int]
) -> TaskSuite[GridWorldTask]:
    """Targets by letter; the record ``length`` (int64 (3,)) holds the steps of each's shortest solution."""
    tasks = tuple(map(kind.from_text, texts.values()))
    return TaskSuite(name, tasks, tuple(texts), {"length": np.array([lengths[target] for target in texts])})


def drawn_suite(name: str, arrays: Arrays, kind: type[GridWorldTask]) -> TaskSuite[GridWorldTask]:
    """The tasks of :func:`graded_arrays` or :func:`random_arrays` by number; the record ``length`` (int64 (tasks,))
    holds the steps of each's shortest solution, -1 for unsolvable."""
    tasks = tuple(map(kind, arrays["tiles"], arrays["objects"]))
    return TaskSuite(name, tasks, numbered(len(tasks)), {"length": arrays["length"].astype(np.int64)})


def _targets(
    kind: type[GridWorldTask], texts: Mapping[str, str], lengths: Mapping[str, int]
) -> SuiteDescriptor[GridWorldTask]:
    return SuiteDescriptor("targets", partial(targets_suite, kind=kind, texts=texts, lengths=lengths))


def _graded(kind: type[GridWorldTask], checksum: str, seed: int, lengths: range) -> SuiteDescriptor[GridWorldTask]:
    generate = partial(graded_arrays, seed=seed, lengths=lengths)
    return SuiteDescriptor("graded", partial(drawn_suite, kind=kind), checksum, generate, graded_like)


def _random(kind: type[GridWorldTask], checksum: str, seed: int) -> SuiteDescriptor[GridWorldTask]:
    generate = partial(random_arrays, seed=seed)
    return SuiteDescriptor("random", partial(drawn_suite, kind=kind), checksum, generate, sample_like)


_DATA = Path(__file__).parent / "data"
SUITES = FamilySuites[GridWorldTask](
    _DATA,
    (
        _targets(GridWorldTask, TARGETS, TARGET_LENGTHS),
        _graded(
            GridWorldTask,
            "2c8e17ed83d771f9ffd3180a8d67eea55fffaf5d0fc13a8122866f3c7851fa38",
            GRADED_SEED,
            GRADED_LENGTHS,
        ),
        _random(GridWorldTask, "53e42ac7e5f851b069dbed58349f89df451377cd9f6fc6d63dec554ad9a99200", RANDOM_SEED),
    ),
)
LARGE_SUITES = FamilySuites[GridWorldTask](
    _DATA / "large",
    (
        _targets(GridWorldLargeTask, LARGE_TARGETS, LARGE_TARGET_LENGTHS),
        _graded(
            GridWorldLargeTask,
            "07ab909b88bee83e032a7a9f0f2295cfd49ffd8e959ace494a7fdde774114b52",
            LARGE_GRADED_SEED,
            LARGE_GRADED_LENGTHS,
        ),
        _random(
            GridWorldLargeTask, "a243cd76bb8c746ef74892d411d46787c8bb55cba090b4407ae1654f7b4ded00", LARGE_RANDOM_SEED
        ),
    ),
)

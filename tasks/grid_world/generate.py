"""Generate GridWorld's data files from fixed seeds: ``python -m procgen_bench.tasks.grid_world.generate [FOLDER]``."""

from pathlib import Path

import numpy as np
from tqdm import tqdm

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.grid_world.space import GridWorldTaskSpace
from procgen_bench.tasks.grid_world.suites import UNSOLVABLE
from procgen_bench.tasks.grid_world.task import GridWorldTask

RANDOM_SEED, RANDOM_TASKS = 20_201, 1_000
GRADED_SEED, GRADED_LENGTHS, GRADED_TASKS_PER_LENGTH = 20_202, range(1, 41), 5
#: Mutations in a row that do not lengthen a task before the search starts over from another sample.
_PATIENCE = 2_000


def random_tasks(space: GridWorldTaskSpace) -> list[GridWorldTask]:
    """1,000 tasks of parameters drawn uniformly from the space."""
    rng = np.random.default_rng(RANDOM_SEED)
    return [space.decode(space.sample(rng)) for _ in tqdm(range(RANDOM_TASKS), desc="random")]


def graded_tasks(space: GridWorldTaskSpace) -> list[GridWorldTask]:
    """200 distinct solvable tasks, five of every shortest length from 1 to 40."""
    rng = np.random.default_rng(GRADED_SEED)
    tasks: dict[GridWorldTask, None] = {}
    for length in tqdm(GRADED_LENGTHS, desc="graded"):
        while len(tasks) < GRADED_TASKS_PER_LENGTH * (length - GRADED_LENGTHS.start + 1):
            tasks.setdefault(_lengthened(space, length, rng))
    return list(tasks)


def _lengthened(space: GridWorldTaskSpace, length: int, rng: np.random.Generator) -> GridWorldTask:
    """A task of exactly ``length``: mutate a solvable sample, keeping what does not shorten or overshoot it."""
    while True:
        task = space.decode(space.sample(rng))
        reached, stale = _solution_length(space, task), 0
        if not 0 < reached <= length:
            continue
        while reached < length and stale < _PATIENCE:
            neighbour = space.mutate(task, rng)
            found = _solution_length(space, neighbour)
            stale = 0 if reached < found <= length else stale + 1
            if reached <= found <= length:
                task, reached = neighbour, found
        if reached == length:
            return task


def _solution_length(space: GridWorldTaskSpace, task: GridWorldTask) -> int:
    solution = space.solve(task)
    return UNSOLVABLE if solution is None else len(solution)


def suite_arrays(space: GridWorldTaskSpace, tasks: list[GridWorldTask]) -> dict[str, np.ndarray]:
    """The arrays that a suite's file keeps: tiles, objects, and the shortest length of each task."""
    return {
        "tiles": np.stack([task.tiles for task in tasks]),
        "objects": np.stack([task.objects for task in tasks]),
        "length": np.array([_solution_length(space, task) for task in tasks], np.int8),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write both files into ``folder``; returns their checksums."""
    space = GridWorldTaskSpace()
    suites = {"random": random_tasks(space), "graded": graded_tasks(space)}
    return write_suite_files(folder, {name: suite_arrays(space, tasks) for name, tasks in suites.items()})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

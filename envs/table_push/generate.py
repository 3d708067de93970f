"""Generate TablePush's suites from fixed seeds, and print their checksums and how long the tables' plans are.

``python -m procgen_bench.envs.table_push.generate [FOLDER]``; without a folder, into the package's own. Each table has
a random generator of its own, so that it does not depend on which process draws it. It takes some minutes.
"""

from functools import partial
from pathlib import Path

import numpy as np

from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.suite_generation import run_generator
from procgen_bench.engine.parallel import Workers, parallel_map
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.drawing import draw_of_length, draw_uniform
from procgen_bench.tasks.table_push.suites import SUITES, suite_arrays

GRADED_SEED, GRADED_TASKS, GRADED_LENGTHS = 20_402, 200, range(1, 13)
RANDOM_SEED, RANDOM_TASKS = 20_403, 1_000

Solved = tuple[TablePushTask, np.ndarray | None]


def graded_task(number: int) -> Solved:
    """Task ``number`` of ``graded`` and its plan; lengths take turns evenly, from short to long."""
    length = GRADED_LENGTHS[number * len(GRADED_LENGTHS) // GRADED_TASKS]
    return draw_of_length(make_task_space("TablePush-v0"), length, np.random.default_rng((GRADED_SEED, number)))


def random_task(number: int) -> Solved:
    """Task ``number`` of ``random`` and its plan, if there is one."""
    space = make_task_space("TablePush-v0")
    task = draw_uniform(space, np.random.default_rng((RANDOM_SEED, number)))
    return task, space.solve(task)


def generate(folder: Path, workers: Workers = None) -> dict[str, str]:
    """Write the files into ``folder``; returns their checksums, by suite."""
    solved = partial(parallel_map, workers=workers, unit="table")
    drawn: dict[str, list[Solved]] = {
        "graded": solved(graded_task, range(GRADED_TASKS), progress="graded"),
        "random": solved(random_task, range(RANDOM_TASKS), progress="random"),
    }
    return {name: write_suite_file(folder, name, suite_arrays(*zip(*those))) for name, those in drawn.items()}


if __name__ == "__main__":
    run_generator(generate, SUITES.folder)

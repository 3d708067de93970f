"""Generate BitGrid's data file from a fixed seed: ``python -m procgen_bench.tasks.bit_grid.generate [FOLDER]``."""

from pathlib import Path

import numpy as np

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.bit_grid.space import BitGridTaskSpace
from procgen_bench.tasks.bit_grid.task import BitGridTask

TEST_SEED, TEST_TASKS = 20_301, 500


def held_out_tasks(space: BitGridTaskSpace) -> list[BitGridTask]:
    """500 solvable tasks of the paper's distribution, no two with the same goal."""
    rng = np.random.default_rng(TEST_SEED)
    tasks: dict[bytes, BitGridTask] = {}
    while len(tasks) < TEST_TASKS:
        task = space.sample_task(rng)
        if space.is_solvable(task):
            tasks.setdefault(task.goal.tobytes(), task)
    return list(tasks.values())


def suite_arrays(space: BitGridTaskSpace, tasks: list[BitGridTask]) -> dict[str, np.ndarray]:
    """The arrays that the suite's file keeps: starts, goals, and the shortest length of each task."""
    return {
        "starts": np.stack([task.start for task in tasks]),
        "goals": np.stack([task.goal for task in tasks]),
        "length": np.array([len(space.solve(task)) for task in tasks], np.int8),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum, by suite."""
    space = BitGridTaskSpace()
    return write_suite_files(folder, {"test": suite_arrays(space, held_out_tasks(space))})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

"""Generate SparseAntMaze's data file from a fixed seed.

``python -m procgen_bench.tasks.ant_maze.generate [FOLDER]``; without a folder, into the package's own.
"""

from pathlib import Path

import numpy as np

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.ant_maze.maze import shortest_way, way_length
from procgen_bench.tasks.ant_maze.space import AntMazeTaskSpace
from procgen_bench.tasks.ant_maze.task import START_GAP

TEST_SEED, TEST_TASKS = 50_501, 500


def suite_arrays() -> dict[str, np.ndarray]:
    """``test``: 500 starts and goals of the paper's distribution, and the lengths of the ways between them."""
    space, rng = AntMazeTaskSpace(), np.random.default_rng(TEST_SEED)
    tasks = [space.sample_task(rng) for _ in range(TEST_TASKS)]
    return {
        "start": np.stack([task.start for task in tasks]),
        "goal": np.stack([task.goal for task in tasks]),
        "length": np.array([way_length(shortest_way(task.start, task.goal, START_GAP)) for task in tasks]),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum, by suite."""
    return write_suite_files(folder, {"test": suite_arrays()})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

"""Generate FetchBlocks' data file from a fixed seed.

``python -m procgen_bench.tasks.fetch_blocks.generate [FOLDER]``; without a folder, into the package's own.
"""

from pathlib import Path

import numpy as np

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.fetch_blocks.draws import draw_task
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart

TEST_SEED, TEST_TASKS, TEST_BLOCKS = 70_401, 500, 4


def start_arrays(starts: list[FetchBlocksStart]) -> dict[str, np.ndarray]:
    """The starts' fields as arrays, by name."""
    return {
        "places": np.stack([start.places for start in starts]),
        "levels": np.stack([start.levels for start in starts]),
        "gripper": np.stack([start.gripper for start in starts]),
    }


def suite_arrays() -> dict[str, np.ndarray]:
    """``test``: 500 tasks of the paper's distribution, with four blocks."""
    rng = np.random.default_rng(TEST_SEED)
    tasks = [draw_task(rng, TEST_BLOCKS) for _ in range(TEST_TASKS)]
    return start_arrays([task.start for task in tasks]) | {
        "first": np.array([task.first for task in tasks]),
        "goal": np.stack([task.goal for task in tasks]),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum, by suite."""
    return write_suite_files(folder, {"test": suite_arrays()})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

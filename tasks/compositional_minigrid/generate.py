"""Generate the data file: ``python -m procgen_bench.tasks.compositional_minigrid.generate [FOLDER]``."""

from pathlib import Path

import numpy as np
from tqdm import tqdm

from procgen_bench.seeding import seed_from_parts
from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.compositional_minigrid.solver import solve
from procgen_bench.tasks.compositional_minigrid.space import drawn_task
from procgen_bench.tasks.compositional_minigrid.suites import ROOMS_PER_DESIGN, design_name, designs
from procgen_bench.tasks.compositional_minigrid.task import CompositionalMiniGridTask


def suite_tasks() -> list[CompositionalMiniGridTask]:
    """20 rooms of every design, each drawn by a seed bound to the suite, the design and the room's number."""
    return [
        drawn_task(design, seed_from_parts("CompositionalMiniGrid", "test", design_name(design), room))
        for design in designs()
        for room in range(ROOMS_PER_DESIGN)
    ]


def suite_arrays(tasks: list[CompositionalMiniGridTask]) -> dict[str, np.ndarray]:
    """The arrays that a suite's file keeps: the tasks' fields, and the shortest length of each."""
    fields = {
        name: np.stack([getattr(task, name) for task in tasks]) for name in ("subtasks", "agent", "places", "colours")
    }
    return fields | {"length": np.array([len(solve(task)) for task in tqdm(tasks, desc="test")], np.int16)}


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum by the suite's name."""
    return write_suite_files(folder, {"test": suite_arrays(suite_tasks())})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

"""Generate FetchProgram's suite from a fixed seed; the scripted expert proves every task.

``python -m procgen_bench.envs.fetch_blocks.scripted.generate [FOLDER]``; without a folder, into the package's own.
"""

from pathlib import Path

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.suite_generation import run_generator
from procgen_bench.envs.fetch_blocks.scripted.playing import play_program
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.program_suites import GROUP_TASKS, PROGRAM_SUITES, RANDOMNESS
from procgen_bench.tasks.fetch_blocks.start import starts_to_arrays
from procgen_bench.tasks.programs import GROUPS, PROGRAMS
from procgen_bench.tasks.programs.states import NUM_BLOCKS

SEED = 70_402


def proven_tasks(rng: np.random.Generator, group: str, count: int) -> list[tuple[FetchProgramTask, int]]:
    """Tasks of a group, whose programs take turns, and the steps in which the expert does each.

    A start that is too much for the expert is drawn again.
    """
    simulation, programs = FetchBlocksSimulation(NUM_BLOCKS), GROUPS[group]
    proven: list = []
    with Progress(total=count, desc=group) as progress:
        while len(proven) < count:
            task = draw_program_task(rng, PROGRAMS[programs[len(proven) % len(programs)]], RANDOMNESS)
            actions = play_program(simulation, task)
            if actions is not None:
                proven.append((task, len(actions)))
                progress.update()
    return proven


def suite_arrays(count: int = GROUP_TASKS) -> dict[str, np.ndarray]:
    """``groups``: ``count`` tasks of each group, with their names and what the expert has proven.

    Returns:
        The arrays that :func:`~procgen_bench.tasks.fetch_blocks.program_suites.groups_suite` lists.
    """
    rng, numbers = np.random.default_rng(SEED), {name: number for number, name in enumerate(PROGRAMS)}
    proven = {group: proven_tasks(rng, group, count) for group in GROUPS}
    tasks = [task for of_group in proven.values() for task, _ in of_group]
    return starts_to_arrays([task.start for task in tasks]) | {
        "program": np.array([numbers[task.program] for task in tasks], np.int8),
        "group": np.repeat(np.arange(len(GROUPS), dtype=np.int8), count),
        "name": np.array([f"{group.lower()}/{place}" for group in GROUPS for place in range(count)]),
        "steps": np.array([steps for of_group in proven.values() for _, steps in of_group], np.int16),
    }


def generate(folder: Path) -> dict[str, str]:
    """Write the file into ``folder``; returns its checksum, by suite."""
    return {name: write_suite_file(folder, name, suite_arrays()) for name in PROGRAM_SUITES.names}


if __name__ == "__main__":
    run_generator(generate, PROGRAM_SUITES.folder)

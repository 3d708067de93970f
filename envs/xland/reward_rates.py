"""How often doing nothing and random play are rewarded in the suites' tasks, counted in the simulator.

``python -m procgen_bench.envs.xland.reward_rates FOLDER [SUITE ...]`` plays every task of the suites that were drawn
once by either, and all players alike, for an episode. It writes a file for every hundred tasks into ``FOLDER``, passes
over those that are there, and at last joins a suite's into ``SUITE_rates.npz``: int16 ``noop`` and ``random`` (tasks,),
the steps that reward player 1. Several at once, on suites of their own, share the work.
"""

import sys
from pathlib import Path

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.evaluation.packing import unpack_task
from procgen_bench.tasks.xland.evaluation.rates import COUNTED
from procgen_bench.tasks.xland.suites import SUITES

#: What is counted.
PLAYS = ("noop", "random")
#: Tasks of a piece.
PIECE = 100


def rewarded_steps(task: XLandTask, play: str, name: str, steps: int) -> int:
    """Steps of an episode that reward player 1, where all players do nothing, or act evenly at random.

    Args:
        task: The task.
        play: ``"noop"`` or ``"random"``.
        name: The task's name, such as ``"test/17"``, from which randomness follows.
        steps: Of the episode.
    """
    simulation, rng = XLandSimulation(task), np.random.default_rng(seed_from_parts("reward rates", name))
    shape, count = (task.game.num_players, len(ACTION_CHOICES)), 0
    actions = np.tile(NOOP, (shape[0], 1))
    while simulation.ended is None and simulation.steps < steps:
        if play == "random":
            actions = rng.integers(0, ACTION_CHOICES, shape)
        count += int(simulation.step(actions)[0])
    return count


def count_piece(folder: Path, suite: str, first: int) -> dict[str, np.ndarray]:
    """The counts of a piece's tasks by play, int16 (tasks,), from its file where that is there; else it is written."""
    path = folder / f"{suite}-{first}.npz"
    if not path.exists():
        arrays, (steps, _) = SUITES.read(suite), COUNTED[suite]
        places = range(first, min(first + PIECE, len(arrays["extents"])))
        tasks = {f"{suite}/{place}": unpack_task(arrays, place) for place in places}
        counts = {
            play: np.array([rewarded_steps(task, play, name, steps) for name, task in tasks.items()], np.int16)
            for play in PLAYS
        }
        write_suite_file(folder, path.stem, counts)
    with np.load(path, allow_pickle=False) as piece:
        return {play: piece[play] for play in PLAYS}


def count_suite(folder: Path, suite: str) -> str:
    """Write ``SUITE_rates.npz``, piece by piece; returns its checksum."""
    firsts = range(0, len(SUITES.read(suite)["extents"]), PIECE)
    pieces = [count_piece(folder, suite, first) for first in Progress(firsts, desc=suite)]
    counts = {play: np.concatenate([piece[play] for piece in pieces]) for play in PLAYS}
    return write_suite_file(folder, f"{suite}_rates", counts)


if __name__ == "__main__":
    for requested in sys.argv[2:] or COUNTED:
        print(requested, count_suite(Path(sys.argv[1]), requested))

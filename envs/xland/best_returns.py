"""What the best of some fixed players gets in the tasks of a suite that names co-players, counted in the simulator.

``python -m procgen_bench.envs.xland.best_returns FOLDER`` plays every task of ``small_validation`` with each of
:data:`PLAYERS` as player 1 with the task's co-players, an episode each, and writes ``small_validation_returns.npz``:
int16 ``best`` (tasks,), the most steps that reward any of them. By these, curves of training show normalised scores.
"""

import sys
from pathlib import Path

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.evaluation.packing import unpack_task
from procgen_bench.tasks.xland.suites import SUITES, validation_co_players

#: Who plays: those that do not look at what they are given, and two that pursue their goal.
PLAYERS = ("noop", "random", "clumsy", "steady")
SUITE, STEPS = "small_validation", 300


def rewarded_steps(task: XLandTask, players: tuple[str, ...], name: str) -> int:
    """Steps of an episode that reward player 1, where these play, one in each seat; ``name`` decides what is random."""
    simulation, rng = XLandSimulation(task), np.random.default_rng(seed_from_parts("best returns", name))
    participants = [new_co_player(player) for player in players]
    for seat, (participant, own) in enumerate(zip(participants, rng.spawn(len(players)))):
        participant.begin(simulation, seat, own)
    count = 0
    while simulation.ended is None and simulation.steps < STEPS:
        count += int(simulation.step(np.array([participant.act() for participant in participants]))[0])
    return count


def write_best_returns(folder: Path) -> str:
    """Write the file; returns its checksum."""
    arrays = SUITES.read(SUITE)
    best = []
    for place in Progress(range(len(arrays["extents"])), desc=SUITE):
        task, others = unpack_task(arrays, place), validation_co_players(place)
        best.append(max(rewarded_steps(task, (player, *others), f"{SUITE}/{place}") for player in PLAYERS))
    return write_suite_file(folder, f"{SUITE}_returns", {"best": np.array(best, np.int16)})


if __name__ == "__main__":
    print(SUITE, write_best_returns(Path(sys.argv[1])))

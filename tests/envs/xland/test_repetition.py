"""Tasks repeat bit for bit in fresh processes, whatever their hash seed, number of threads and order of tasks."""

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.hand_authored import task_names
from tests.envs.xland.test_saving import random_actions, trajectory

#: Of the suite's tasks of two and three players, and all of those of one to three that are written by hand.
SUITE_TASKS = [f"test/{number}" for number in range(0, 1678, 29)]
TASKS = [*(f"hand_authored/{name}" for name in task_names()), *SUITE_TASKS]
#: Two processes as different as they come: settings, and the order in which they play the tasks. One of them is enough
#: for every day, beside this process.
PROCESSES = (
    ({"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}, 1),
    ({"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}, -1),
)

PLAY = """
import sys
from tests.envs.xland.test_repetition import digest_of_task
steps, *names = sys.argv[1:]
for name in names:
    print(name, digest_of_task(name, int(steps)))
"""

GO_ON = """
import pickle, sys
from pathlib import Path
from tests.envs.xland.test_repetition import going_on
for name, state in pickle.loads(Path(sys.argv[1]).read_bytes()).items():
    print(going_on(name, state))
"""


def task_of(name: str):
    suite, _, task = name.partition("/")
    return load_suite(suite)[task]


def digest_of_task(name: str, steps: int) -> str:
    """Of every step of random play: states, truths, rewards, players, effects, and MuJoCo's arrays."""
    simulation = XLandSimulation(task_of(name))
    steps_digests = trajectory(simulation, random_actions(simulation.bodies.num_players, steps, seed=7))
    assert len(set(steps_digests)) > 0.8 * steps  # where a lone player is gone and all sleeps, nothing changes
    return chained(steps_digests)


def chained(digests: list[str]) -> str:
    """One digest of several."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def going_on(name: str, state) -> str:
    """The digest of 60 steps after a saved state."""
    simulation = XLandSimulation(task_of(name))
    simulation.load(state)
    return chained(trajectory(simulation, random_actions(simulation.bodies.num_players, 60, seed=8)))


def in_a_fresh_process(root: Path, program: str, *arguments: str, settings: dict[str, str]) -> str:
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, **settings}
    return subprocess.run(
        command, stdout=subprocess.PIPE, check=True, text=True, cwd=root, env=environment
    ).stdout.strip()


def play_in_processes(root: Path, names: list[str], steps: int, processes=PROCESSES) -> list[dict[str, str]]:
    """The digests of tasks by name, of each process."""
    found = []
    for settings, order in processes:
        printed = in_a_fresh_process(root, PLAY, str(steps), *names[::order], settings=settings)
        found.append(dict(line.split() for line in printed.splitlines()))
    return found


def test_three_tasks_repeat(request):
    names = ["hand_authored/capture_the_cube", "test/5", "test/1500"]
    here = {name: digest_of_task(name, 100) for name in names}
    (there,) = play_in_processes(request.config.rootpath, names, 100, PROCESSES[1:])
    assert here == there and len(set(here.values())) == 3


@pytest.mark.slow
def test_a_hundred_tasks_repeat(request):
    assert len(TASKS) == len(set(TASKS)) == 100
    first, second = play_in_processes(request.config.rootpath, TASKS, EPISODE_STEPS)
    assert first == second and len(set(first.values())) > 90  # some of those by hand begin alike


@pytest.mark.parametrize("settings", [PROCESSES[1][0], pytest.param(PROCESSES[0][0], marks=pytest.mark.slow)])
def test_saved_states_go_on_in_another_process(settings, request, tmp_path):
    states, file = {}, tmp_path / "states"
    for name in ("hand_authored/capture_the_cube", "test/1500"):
        simulation = XLandSimulation(task_of(name))
        trajectory(simulation, random_actions(simulation.bodies.num_players, 150, seed=7))
        states[name] = simulation.save()
    file.write_bytes(pickle.dumps(states))
    expected = [going_on(name, state) for name, state in states.items()]
    assert in_a_fresh_process(request.config.rootpath, GO_ON, str(file), settings=settings).split() == expected

"""Memory stays flat over episodes of ever new tasks."""

import subprocess
import sys

import pytest

#: Prints the resident memory in MiB after a number of episodes of new tasks, and after all.
PLAY = """
import gc, re, sys
from pathlib import Path
import numpy as np
from procgen_bench.envs.xland import parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.tasks.xland import load_suite

def resident():
    gc.collect()
    return int(re.search(r"VmRSS:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

warm_up, episodes, steps = map(int, sys.argv[1:])
names = load_suite("test").task_names
env = parallel_env(players=3, observation="both")
rng = np.random.default_rng(0)
for episode in range(warm_up + episodes):
    if episode == warm_up:
        print(resident())
    env.reset(options={"task": f"test/{names[episode % len(names)]}"})
    for _ in range(steps):
        env.step({agent: rng.integers(0, ACTION_CHOICES) for agent in env.agents})
print(resident())
"""


def growth(warm_up: int, episodes: int, steps: int) -> float:
    """MiB of resident memory that so many episodes after a warm-up add."""
    command = [sys.executable, "-c", PLAY, *map(str, (warm_up, episodes, steps))]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    before, after = map(float, printed.split())
    print(f"{before:.1f} MiB after {warm_up} episodes, {after:.1f} MiB after {episodes} more")
    return after - before


@pytest.mark.slow
def test_memory_is_flat_over_some_episodes():
    assert growth(100, 60, 5) < 5.0


@pytest.mark.slow
def test_memory_is_flat_over_2_000_episodes():
    # A leaked simulation a time would be a gigabyte; some is left to worlds larger than those of the warm-up.
    assert growth(100, 2_000, 2) < 8.0

"""GridWorld-v0 beside its peers, in one run and on one thread: ``make bench``. No time is asserted.

Speeds are timed in processor seconds, which neighbours on a shared machine lengthen least; start-up in wall seconds.
"""

import subprocess
import sys
import time

import gymnasium
import minigrid  # noqa: F401 - registers MiniGrid's ids
import numpy as np
import pytest
from minigrid.wrappers import ImgObsWrapper
from numba import njit

import procgen_bench  # noqa: F401 - registers our ids

ROWS = 1_024
NUMBERS = 61
BATCHES = 256
ROUNDS = 15

in_processor_seconds = pytest.mark.benchmark(timer=time.process_time)

FIRST_IMPORT = """
import time
begun = time.perf_counter()
import procgen_bench
print(time.perf_counter() - begun)
"""

FIRST_RESET = """
import gymnasium, procgen_bench, time
begun = time.perf_counter()
env = gymnasium.make{kind}("GridWorld-v0")
env.reset(seed=0)
print(time.perf_counter() - begun)
"""


def time_steps(benchmark, label: str, role: str, steps: int, advance) -> None:
    """Time ``advance``, which takes ``steps`` environment steps per call."""
    benchmark.extra_info.update(label=label, role=role, steps=steps)
    benchmark.pedantic(advance, rounds=ROUNDS, warmup_rounds=2)


def vector_stepper(env):
    """Resets ``env`` and returns a function that steps it through a fixed list of random actions."""
    rng = np.random.default_rng(0)
    batches = rng.integers(env.single_action_space.n, size=(BATCHES, env.num_envs))
    env.reset(seed=0)

    def advance() -> None:
        for actions in batches:
            env.step(actions)

    return advance


def single_stepper(env, steps: int):
    """Resets ``env`` and returns a function that takes random steps, beginning anew where an episode ends."""
    actions = np.random.default_rng(0).integers(0, env.action_space.n, steps).tolist()
    env.reset(seed=0)

    def advance() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return advance


@in_processor_seconds
@pytest.mark.parametrize("tasks", ["graded", "targets/A", None])
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env(benchmark, tasks, copy):
    env = gymnasium.make_vec(
        "GridWorld-v0", num_envs=ROWS, vectorization_mode="vector_entry_point", tasks=tasks, copy=copy
    )
    label = f"GridWorld native, {ROWS} rows, tasks={tasks!r}, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, vector_stepper(env))


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make("GridWorld-v0", tasks="graded")
    time_steps(benchmark, "GridWorld single, tasks='graded'", "ours", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_minigrid_empty(benchmark):
    env = ImgObsWrapper(gymnasium.make("MiniGrid-Empty-8x8-v0"))
    time_steps(benchmark, "MiniGrid-Empty-8x8", "peer", 5_000, single_stepper(env, 5_000))


@njit
def write_numbers(observations, values):
    """Measured: 61 float32 stores per row and one addition, the least that any environment of this size must do.

    Every row's value changes from call to call and differs between rows, so the stores can be neither a memset nor
    left out; the row is stored in full vectors, as fast as this machine writes.
    """
    for i in range(observations.shape[0]):
        values[i] += np.float32(1)
        for k in range(observations.shape[1]):
            observations[i, k] = values[i]


@in_processor_seconds
def test_bare_writes(benchmark):
    observations = np.zeros((ROWS, NUMBERS), np.float32)
    values = np.random.default_rng(0).random(ROWS, np.float32)
    write_numbers(observations, values)

    def advance() -> None:
        for _ in range(BATCHES):
            write_numbers(observations, values)

    time_steps(benchmark, f"{NUMBERS} bare float32 writes", "peer", BATCHES * ROWS, advance)
    assert (observations == values[:, np.newaxis]).all() and len(np.unique(values)) > ROWS // 2


@in_processor_seconds
def test_sync_vector_env(benchmark):
    env = gymnasium.make_vec("GridWorld-v0", num_envs=16, vectorization_mode="sync", tasks="graded")
    time_steps(benchmark, "SyncVectorEnv, 16 GridWorlds", "peer", BATCHES * 16, vector_stepper(env))


@pytest.mark.parametrize(
    ("label", "program"),
    [
        ("import procgen_bench", FIRST_IMPORT),
        ("gymnasium.make and reset, kernels cached", FIRST_RESET.format(kind="")),
        ("gymnasium.make_vec and reset, kernels cached", FIRST_RESET.format(kind="_vec")),
    ],
    ids=["import", "make", "make_vec"],
)
def test_start_up(benchmark, label, program):
    seconds = []

    def start() -> None:
        process = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, text=True)
        seconds.append(float(process.stdout))

    benchmark.pedantic(start, rounds=7, warmup_rounds=1)
    benchmark.extra_info.update(label=label, seconds=min(seconds))

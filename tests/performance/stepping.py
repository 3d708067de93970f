"""What the benchmarks of all families share: steppers, bare writes, and start-up in a fresh process.

Speeds are timed in processor seconds, which neighbours on a shared machine lengthen least; start-up, and what other
processes do, in wall seconds.
"""

import subprocess
import sys
import time

import numpy as np
import pytest
from gymnasium import spaces
from numba import njit

ROWS = 1_024
BATCHES = 256
ROUNDS = 15
TRAINING_ROUNDS = 8

in_processor_seconds = pytest.mark.benchmark(timer=time.process_time)
#: For what other processes do; a label should say so.
in_wall_seconds = pytest.mark.benchmark(timer=time.perf_counter)

FIRST_IMPORT = """
import time
begun = time.perf_counter()
import procgen_bench
print(time.perf_counter() - begun)
"""

FIRST_RESET = """
import gymnasium, procgen_bench, time
begun = time.perf_counter()
env = gymnasium.make{kind}("{environment_id}")
env.reset(seed=0)
print(time.perf_counter() - begun)
"""


def start_up_programs(environment_id: str) -> list:
    """Programs that print the seconds of a make and first reset, by what the table calls them."""
    return [
        pytest.param(
            f"{environment_id}: {label}, kernels cached",
            FIRST_RESET.format(kind=kind, environment_id=environment_id),
            id=name,
        )
        for name, label, kind in (
            ("make", "gymnasium.make and reset", ""),
            ("make_vec", "gymnasium.make_vec and reset", "_vec"),
        )
    ]


def time_training(benchmark, label: str, role: str, steps: int, train_once) -> None:
    """Time ``train_once``: so many environment steps, and what is learned from them."""
    benchmark.extra_info.update(label=label, role=role, steps=steps)
    benchmark.pedantic(train_once, rounds=TRAINING_ROUNDS, warmup_rounds=2)


def time_start_up(benchmark, label: str, program: str) -> None:
    """Run ``program`` in fresh processes; what it prints are the seconds."""
    seconds = []

    def start() -> None:
        process = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, text=True)
        seconds.append(float(process.stdout))

    benchmark.pedantic(start, rounds=7, warmup_rounds=1)
    benchmark.extra_info.update(label=label, seconds=min(seconds))


def time_steps(benchmark, label: str, role: str, steps: int, advance, before=None) -> None:
    """Time ``advance``, which takes ``steps`` environment steps per call; ``before`` is called before each, untimed."""
    benchmark.extra_info.update(label=label, role=role, steps=steps)
    benchmark.pedantic(advance, setup=before, rounds=ROUNDS, warmup_rounds=2)


def time_resets(benchmark, label: str, role: str, resets: int, reset) -> None:
    """Time ``reset``, which resets ``resets`` environments per call."""
    benchmark.extra_info.update(label=label, role=role, resets=resets)
    benchmark.pedantic(reset, rounds=ROUNDS, warmup_rounds=2)


def random_actions(space: spaces.Space, shape: tuple[int, ...]) -> np.ndarray:
    """Uniform actions of a discrete, a multi-discrete or a box-shaped space, the same in every run."""
    rng = np.random.default_rng(0)
    if isinstance(space, spaces.Discrete):
        return rng.integers(space.n, size=shape)
    if isinstance(space, spaces.MultiDiscrete):
        return rng.integers(space.nvec, size=(*shape, *space.shape))
    actions = rng.uniform(space.low, space.high, (*shape, *space.shape)).astype(space.dtype)
    return np.clip(actions, space.low, space.high)  # rounding to float32 may lead over a bound


def vector_stepper(env):
    """Resets ``env`` and returns a function that steps it through a fixed list of random actions."""
    batches = random_actions(env.single_action_space, (BATCHES, env.num_envs))
    env.reset(seed=0)

    def advance() -> None:
        for actions in batches:
            env.step(actions)

    return advance


def single_stepper(env, steps: int):
    """Resets ``env`` and returns a function that takes random steps, resetting where an episode ends."""
    actions = list(random_actions(env.action_space, (steps,)))
    env.reset(seed=0)

    def advance() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return advance


@njit
def write_numbers(observations, values):
    """Measured: one float32 store per number of a row and one addition, the least that writing such a row takes.

    Every row's value changes from call to call and differs between rows, so the stores can be neither a memset nor
    left out; the row is stored in full vectors, as fast as this machine writes.
    """
    for i in range(observations.shape[0]):
        values[i] += np.float32(1)
        for k in range(observations.shape[1]):
            observations[i, k] = values[i]


def time_bare_writes(benchmark, numbers: int) -> None:
    """Time :func:`write_numbers` for rows of this many numbers."""
    observations = np.zeros((ROWS, numbers), np.float32)
    values = np.random.default_rng(0).random(ROWS, np.float32)
    write_numbers(observations, values)

    def advance() -> None:
        for _ in range(BATCHES):
            write_numbers(observations, values)

    time_steps(benchmark, f"{numbers} bare float32 writes", "peer", BATCHES * ROWS, advance)
    assert (observations == values[:, np.newaxis]).all() and len(np.unique(values)) > ROWS // 2

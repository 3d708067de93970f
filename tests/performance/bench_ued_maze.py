"""UEDMaze-v0 beside the same mazes in the Minigrid library, in one run and on one thread: ``make bench``. No time is
asserted."""

import gymnasium
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.envs.ued_maze.observations import BLOCK_SIZE
from tests.performance.stepping import (
    BATCHES,
    ROWS,
    in_processor_seconds,
    single_stepper,
    start_up_programs,
    time_bare_writes,
    time_start_up,
    time_steps,
    vector_stepper,
)

ID = "UEDMaze-v0"
LIBRARY_STEPS = 2_000
#: A block of bytes takes as many float32 writes.
FLOATS = BLOCK_SIZE // 4


@in_processor_seconds
@pytest.mark.parametrize("tasks", ["random", "solvable", None])
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env(benchmark, tasks, copy):
    env = gymnasium.make_vec(ID, num_envs=ROWS, vectorization_mode="vector_entry_point", tasks=tasks, copy=copy)
    label = f"UEDMaze native, {ROWS} rows, tasks={tasks!r}, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, vector_stepper(env))


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make(ID, tasks="random")
    time_steps(benchmark, "UEDMaze single", "ours", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_library_backend(benchmark):
    env = gymnasium.make(ID, tasks="random", backend="minigrid")
    label = "the same mazes in the library"
    time_steps(benchmark, label, "peer", LIBRARY_STEPS, single_stepper(env, LIBRARY_STEPS))


@in_processor_seconds
def test_bare_writes(benchmark):
    time_bare_writes(benchmark, FLOATS)


@pytest.mark.parametrize(("label", "program"), start_up_programs(ID))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)

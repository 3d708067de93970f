"""GridWorld-v0 beside its peers, in one run and on one thread: ``make bench``. No time is asserted."""

import gymnasium
import minigrid  # noqa: F401 - registers MiniGrid's ids
import pytest
from minigrid.wrappers import ImgObsWrapper

import procgen_bench  # noqa: F401 - registers our ids
from tests.performance.stepping import (
    BATCHES,
    FIRST_IMPORT,
    ROWS,
    in_processor_seconds,
    single_stepper,
    start_up_programs,
    time_bare_writes,
    time_start_up,
    time_steps,
    vector_stepper,
)

NUMBERS = 61


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
@pytest.mark.parametrize("wrapped", [True, False], ids=["default wrappers", "unwrapped"])
def test_single_env(benchmark, wrapped):
    made = gymnasium.make("GridWorld-v0", tasks="graded")
    env = made if wrapped else made.unwrapped
    label = f"GridWorld single, tasks='graded', {'default wrappers' if wrapped else 'unwrapped'}"
    time_steps(benchmark, label, "ours", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_minigrid_empty(benchmark):
    env = ImgObsWrapper(gymnasium.make("MiniGrid-Empty-8x8-v0"))
    time_steps(benchmark, "MiniGrid-Empty-8x8", "peer", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_bare_writes(benchmark):
    time_bare_writes(benchmark, NUMBERS)


@in_processor_seconds
def test_sync_vector_env(benchmark):
    env = gymnasium.make_vec("GridWorld-v0", num_envs=16, vectorization_mode="sync", tasks="graded")
    time_steps(benchmark, "SyncVectorEnv, 16 GridWorlds", "peer", BATCHES * 16, vector_stepper(env))


@pytest.mark.parametrize(
    ("label", "program"),
    [pytest.param("import procgen_bench", FIRST_IMPORT, id="import"), *start_up_programs("GridWorld-v0")],
)
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)

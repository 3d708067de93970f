"""A process vector environment beside the native one of the same family and Gymnasium's own form, in one run.

``make bench``; no time is asserted. Processes are what is measured, so all are timed in wall seconds: neighbours on a
shared machine show.
"""

from functools import partial

import gymnasium
import pytest
from gymnasium.vector import AsyncVectorEnv

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.envs.ant_maze import SparseAntMazeEnv
from tests.performance.stepping import random_actions, time_steps

ID, ROWS, STEPS = "SparseAntMaze-v0", 32, 50


class SparseAntMazeProcessVectorEnv(ProcessVectorEnv):
    single_env_type = SparseAntMazeEnv


def stepper(env):
    """Resets ``env`` and returns a function that steps it through a fixed list of random actions."""
    batches = random_actions(env.single_action_space, (STEPS, env.num_envs))
    env.reset(seed=0)

    def advance() -> None:
        for actions in batches:
            env.step(actions)

    return advance


@pytest.mark.parametrize("num_workers", [1, 2])
def test_process_vector_env(benchmark, num_workers):
    limit = gymnasium.spec(ID).max_episode_steps
    env = SparseAntMazeProcessVectorEnv(num_envs=ROWS, num_workers=num_workers, max_episode_steps=limit)
    label = f"SparseAntMaze, {ROWS} rows in {num_workers} worker{'s' if num_workers > 1 else ''}, wall seconds"
    time_steps(benchmark, label, "ours", STEPS * ROWS, stepper(env))
    env.close()


def test_native_vector_env(benchmark):
    env = gymnasium.make_vec(ID, num_envs=ROWS, vectorization_mode="vector_entry_point", num_threads=1)
    time_steps(benchmark, f"SparseAntMaze native, {ROWS} rows, one thread, wall", "peer", STEPS * ROWS, stepper(env))


# From Python 3.12 on, forking (what AsyncVectorEnv does on Linux by default) warns where there are threads.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("rows", [2, ROWS])
def test_async_vector_env(benchmark, rows):
    """It has a process for every row."""
    env = AsyncVectorEnv([partial(gymnasium.make, ID)] * rows)
    label = f"AsyncVectorEnv, {rows} rows, wall"
    time_steps(benchmark, label, "peer", STEPS * rows, stepper(env))
    env.close()

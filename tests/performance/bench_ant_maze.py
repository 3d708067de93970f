"""SparseAntMaze-v0 beside its peer, in one run and on one thread: ``make bench``. No time is asserted."""

import gymnasium
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from tests.performance.stepping import (
    in_processor_seconds,
    in_wall_seconds,
    start_up_programs,
    time_start_up,
    time_steps,
)

STEPS, ROWS = 500, 32
SUBGOALS, WALKERS = 25, 4


def stepper(env, steps: int):
    """Resets ``env`` and returns a function that takes random steps, resetting where an episode ends."""
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(steps)]
    env.reset(seed=0)

    def advance() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if not isinstance(terminated, np.ndarray) and (terminated or truncated):
                env.reset()

    return advance


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make("SparseAntMaze-v0")
    time_steps(benchmark, "SparseAntMaze single, torques", "ours", STEPS, stepper(env, STEPS))


@in_processor_seconds
@pytest.mark.parametrize("threads", [1, 2])
def test_vector_env(benchmark, threads):
    time_rows(benchmark, threads, "")


@in_wall_seconds
@pytest.mark.parametrize("threads", [1, 2])
def test_threads(benchmark, threads):
    time_rows(benchmark, threads, ", wall seconds")


def time_rows(benchmark, threads: int, clock: str) -> None:
    env = gymnasium.make_vec(
        "SparseAntMaze-v0", num_envs=ROWS, vectorization_mode="vector_entry_point", num_threads=threads
    )
    label = f"SparseAntMaze, {ROWS} rows, {threads} thread{'s' if threads > 1 else ''}, torques{clock}"
    time_steps(benchmark, label, "ours", STEPS // 10 * ROWS, stepper(env, STEPS // 10))
    env.close()


@in_processor_seconds
def test_subgoals(benchmark):
    """Counted in steps of the ant, of which a subgoal is 20; a round is an episode and the step that resets it."""
    env = gymnasium.make_vec(
        "SparseAntMaze-v0", num_envs=WALKERS, vectorization_mode="vector_entry_point", control="subgoal"
    )
    label = f"SparseAntMaze, {WALKERS} rows, ant steps under subgoals"
    time_steps(benchmark, label, "ours", SUBGOALS * 20 * WALKERS, stepper(env, SUBGOALS + 1))


@in_processor_seconds
def test_gymnasium_robotics(benchmark):
    """Half the simulated time a step (0.05 s), four evaluations of the dynamics for each of its five steps."""
    import gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make("AntMaze_UMaze-v5")
    time_steps(benchmark, "gymnasium-robotics AntMaze_UMaze-v5", "peer", STEPS, stepper(env, STEPS))


@pytest.mark.parametrize(("label", "program"), start_up_programs("SparseAntMaze-v0"))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)

"""FetchBlocks-v0 beside gymnasium-robotics' FetchPickAndPlace-v4, what a step is made of, threads and processes.

Both play random actions in episodes of 50 steps; resets count. No time is asserted: ``make bench``.
"""

import subprocess
import sys
from contextlib import ExitStack

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from tests.performance.bench_process_vector import stepper
from tests.performance.stepping import (
    in_processor_seconds,
    in_wall_seconds,
    single_stepper,
    time_resets,
    time_start_up,
    time_steps,
)

#: Steps of one round.
STEPS = 500
ID, PEER = "FetchBlocks-v0", "FetchPickAndPlace-v4"


def peer():
    import gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    return gymnasium.make(PEER, disable_env_checker=True)


def drawn_actions() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (STEPS, 4)).astype(np.float32)


@in_processor_seconds
def test_fetch_pick_and_place(benchmark):
    time_steps(benchmark, PEER, "peer", STEPS, single_stepper(peer(), STEPS))


@in_processor_seconds
@pytest.mark.parametrize("num_blocks", [2, 4, 6])
def test_single_env(benchmark, num_blocks):
    env = gymnasium.make(ID, num_blocks=num_blocks)
    time_steps(benchmark, f"{ID}, {num_blocks} blocks", "ours", STEPS, single_stepper(env, STEPS))


def drawn_episodes(simulation: FetchBlocksSimulation):
    """Plays episodes of 50 actions from drawn starts, the same in every round."""
    actions = drawn_actions()

    def advance() -> None:
        rng = np.random.default_rng(0)
        for number, action in enumerate(actions):
            if number % 50 == 0:
                simulation.begin(draw_start(rng, simulation.num_blocks))
            simulation.step(action)

    return advance


@in_processor_seconds
@pytest.mark.parametrize("sleep", [True, False])
def test_simulation(benchmark, sleep):
    """What the environment adds to this is Python."""
    label = f"simulation of 4 blocks{'' if sleep else ', none of which sleeps'}"
    time_steps(benchmark, label, "ours", STEPS, drawn_episodes(FetchBlocksSimulation(4, sleep)))


@in_processor_seconds
def test_all_but_the_physics(benchmark, monkeypatch):
    """Action, observation, reward, and the Python between them."""
    env = gymnasium.make(ID)
    env.reset(seed=0)
    monkeypatch.setattr(mujoco, "mj_step", lambda model, data, nstep: None)
    actions = drawn_actions()

    def advance() -> None:
        for action in actions:
            env.unwrapped.step(action)

    time_steps(benchmark, "of a step, all but the physics", "ours", STEPS, advance)


@in_processor_seconds
@pytest.mark.parametrize("role", ["ours", "peer"])
def test_observation(benchmark, role):
    """State to numbers: 70 of ours, 25 of the peer's."""
    env = gymnasium.make(ID) if role == "ours" else peer()
    env.reset(seed=0)
    observe = env.unwrapped.simulation.observe if role == "ours" else env.unwrapped._get_obs

    def advance() -> None:
        for _ in range(STEPS):
            observe()

    time_steps(benchmark, f"of a step, {'our' if role == 'ours' else 'its'} observation", role, STEPS, advance)


@in_processor_seconds
def test_resets(benchmark):
    env, rng = FetchBlocksSimulation(4), np.random.default_rng(0)
    starts = [draw_start(rng, 4) for _ in range(20)]

    def advance() -> None:
        for start in starts:
            env.begin(start)

    benchmark.extra_info.update(label=f"{ID}, bringing arm and blocks to a start", resets=len(starts), role="ours")
    benchmark.pedantic(advance, rounds=5, warmup_rounds=1)


@in_processor_seconds
@pytest.mark.parametrize("role", ["ours", "peer"])
def test_resets_of_environments(benchmark, role):
    """Drawing the task counts. The peer's arm is put at the same place every time."""
    env = (gymnasium.make(ID) if role == "ours" else peer()).unwrapped
    env.reset(seed=0)
    label = f"{ID if role == 'ours' else PEER}, reset"
    time_resets(benchmark, label, role, 20, lambda: [env.reset() for _ in range(20)])


@in_processor_seconds
def test_going_on_from_a_saved_state(benchmark):
    env = gymnasium.make(ID).unwrapped
    env.reset(seed=0)
    state = env.save_state()
    size = sum(np.asarray(value).nbytes for value in state.values.values() if not isinstance(value, str))
    label = f"{ID}, saving a state ({size:,} bytes) and going on from it"

    def go_on() -> None:
        for _ in range(20):
            env.reset(options={"state": env.save_state()})

    time_resets(benchmark, label, "ours", 20, go_on)


def rows_of(rows: int, threads: int):
    return gymnasium.make_vec(ID, num_envs=rows, vectorization_mode="vector_entry_point", num_threads=threads)


@in_wall_seconds
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [8, 32])
def test_threads(benchmark, rows, threads):
    env = rows_of(rows, threads)
    label = f"{ID}, {rows} rows, {threads} thread{'s' if threads > 1 else ''}, wall seconds"
    time_steps(benchmark, label, "peer" if (rows, threads) == (8, 1) else "ours", 50 * rows, stepper(env))
    env.close()


@in_processor_seconds
@pytest.mark.parametrize("threads", [1, 2])
def test_processor_time_of_threads(benchmark, threads):
    """What sharing out the rows costs."""
    env = rows_of(8, threads)
    label = f"{ID}, 8 rows, {threads} thread{'s' if threads > 1 else ''}, processor seconds"
    time_steps(benchmark, label, "ours", 50 * 8, stepper(env))
    env.close()


#: Plays 50 steps of 8 rows for every line that it reads, and writes one when it is over.
PLAY_ON_DEMAND = """
import sys
from tests.performance.bench_fetch_blocks import rows_of, stepper
advance = stepper(rows_of(8, 1))
for line in sys.stdin:
    advance()
    print("over", flush=True)
"""


@in_wall_seconds
def test_two_independent_processes(benchmark, request):
    """What two threads can reach at most: on many machines two processes slow each other down."""
    command, pipes = [sys.executable, "-c", PLAY_ON_DEMAND], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with ExitStack() as stack:
        workers = [
            stack.enter_context(subprocess.Popen(command, text=True, bufsize=1, cwd=request.config.rootpath, **pipes))
            for _ in range(2)
        ]

        def advance() -> None:
            for worker in workers:
                worker.stdin.write("play\n")
            for worker in workers:
                assert worker.stdout.readline() == "over\n"

        time_steps(benchmark, f"{ID}, 8 rows in each of two processes, wall seconds", "ours", 2 * 50 * 8, advance)


# From Python 3.12 on, forking (what AsyncVectorEnv does on Linux by default) warns where there are threads.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@in_wall_seconds
@pytest.mark.parametrize("rows", [2, 8])
def test_async_vector_env(benchmark, rows):
    """It has a process for every row."""
    env = AsyncVectorEnv([peer] * rows)
    time_steps(benchmark, f"{PEER} in AsyncVectorEnv, {rows} rows, wall", "peer", 50 * rows, stepper(env))
    env.close()


FIRST_RESET_OF_ROWS = """
import time
from functools import partial
import gymnasium, procgen_bench
begun = time.perf_counter()
env = {maker}
env.reset(seed=0)
print(time.perf_counter() - begun)
env.close()
"""
MAKERS = {
    f"{ID}, 32 rows": f'gymnasium.make_vec("{ID}", num_envs=32, vectorization_mode="vector_entry_point")',
    f"{PEER}, 32 rows in AsyncVectorEnv": f"""(__import__("gymnasium_robotics") and gymnasium.vector.AsyncVectorEnv(
    [partial(gymnasium.make, "{PEER}", disable_env_checker=True)] * 32))""",
}


@pytest.mark.parametrize("label", MAKERS)
def test_start_up_of_rows(benchmark, label):
    time_start_up(benchmark, f"{label}: made and reset", FIRST_RESET_OF_ROWS.format(maker=MAKERS[label]))

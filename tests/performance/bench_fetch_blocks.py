"""FetchBlocks-v0 beside gymnasium-robotics' FetchPickAndPlace-v4, what a step is made of, and two processes.

Both play random actions in episodes of 50 steps; resets count. No time is asserted: ``make bench``.
"""

import gymnasium
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from tests.performance.bench_process_vector import stepper
from tests.performance.stepping import in_processor_seconds, in_wall_seconds, single_stepper, time_steps

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
    """The library's action, our observation, reward, and the Python between them."""
    env = gymnasium.make(ID)
    env.reset(seed=0)
    monkeypatch.setattr(env.unwrapped.simulation.arm, "_mujoco_step", lambda action: None)
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


@in_wall_seconds
@pytest.mark.parametrize(("workers", "role"), [(1, "peer"), (2, "ours")])
def test_vector_env(benchmark, workers, role):
    env = gymnasium.make_vec(ID, num_envs=4, vectorization_mode="vector_entry_point", num_workers=workers)
    label = f"{ID}, 4 rows in {workers} worker{'s' if workers > 1 else ''}, wall seconds"
    time_steps(benchmark, label, role, 50 * env.num_envs, stepper(env))
    env.close()

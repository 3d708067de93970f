"""XLand's environments beside their peers, what a step of theirs is made of, two threads and processes beside one.

Tasks have 2 players and 12 objects. An agent step simulates 2/15 s. No time is asserted: ``make bench``.
"""

import subprocess
import sys
from contextlib import ExitStack

import gymnasium
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.envs.xland import XLandVectorEnv, parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.observations import Observer
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.predicates.camera import PICTURE_SHAPE
from tests.performance.bench_ant_maze import stepper
from tests.performance.stepping import in_processor_seconds, in_wall_seconds, single_stepper, time_steps

#: Steps of one round of an environment, and of AntMaze.
STEPS = 500


def first_task():
    return next(task for task in load_suite("test") if task.game.num_players == 2)


def random_joint_actions(steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, ACTION_CHOICES, (steps, 2, len(ACTION_CHOICES)))


@pytest.fixture
def simulation() -> XLandSimulation:
    """A simulation in the midst of an episode."""
    simulation = XLandSimulation(first_task())
    assert simulation.bodies.num_objects == 12
    for joint in random_joint_actions(100):
        simulation.step(joint)
    return simulation


#: Plays an episode for every line that it reads, and writes one when it is over.
PLAY_ON_DEMAND = """
import sys
from tests.performance.bench_xland_scaling import XLandSimulation, first_task, play, random_joint_actions
simulation, actions = XLandSimulation(first_task()), random_joint_actions(900)
for line in sys.stdin:
    play(simulation, actions)
    print("over", flush=True)
"""


def play(simulation: XLandSimulation, actions: np.ndarray) -> None:
    simulation.reset()
    for joint in actions:
        simulation.step(joint)


@in_wall_seconds
@pytest.mark.parametrize(
    ("processes", "label", "role"),
    [(1, "one process, wall seconds", "peer"), (2, "two processes, wall seconds", "ours")],
    ids=["one", "two"],
)
def test_processes(benchmark, processes, label, role, request):
    command, pipes = [sys.executable, "-c", PLAY_ON_DEMAND], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with ExitStack() as stack:
        workers = [
            stack.enter_context(subprocess.Popen(command, text=True, bufsize=1, cwd=request.config.rootpath, **pipes))
            for _ in range(processes)
        ]

        def advance() -> None:
            for worker in workers:
                worker.stdin.write("play\n")
            for worker in workers:
                assert worker.stdout.readline() == "over\n"

        time_steps(benchmark, f"XLand, agent steps, {label}", role, processes * EPISODE_STEPS, advance)


def stepped(env, tasks: list, rows: int, batches: int):
    """A function that takes random steps with all rows, from the beginning of the tasks each time."""
    chosen = np.random.default_rng(0).integers(0, ACTION_CHOICES, (batches, rows, len(ACTION_CHOICES))).astype(np.int8)

    def advance() -> None:
        env.reset(options={"task": tasks})
        for actions in chosen:
            env.step(actions)

    return advance


@in_wall_seconds
@pytest.mark.parametrize(("threads", "role"), [(1, "peer"), (2, "ours")], ids=["one", "two"])
def test_worlds_of_threads(benchmark, threads, role):
    """A step is a player's: 64 worlds of two, with what both observe."""
    two, batches = (task for task in load_suite("test") if task.game.num_players == 2), 30
    tasks = [next(two) for _ in range(64)]
    env = XLandVectorEnv(64, players="all", observation="state", num_threads=threads)
    label = f"XLandVectorEnv, 64 worlds x 2 players, state, {threads} threads, wall seconds"
    time_steps(benchmark, label, role, batches * env.num_envs, stepped(env, tasks, env.num_envs, batches))
    env.close()


@in_wall_seconds
@pytest.mark.parametrize(("threads", "role"), [(1, "peer"), (2, "ours")], ids=["one", "two"])
def test_rows_of_threads(benchmark, threads, role):
    """One learning player beside one that does nothing."""
    tasks, batches = [first_task()] * 8, 100
    env = XLandVectorEnv(8, observation="state", num_threads=threads, co_players="noop")
    label = f"XLandVectorEnv, 8 rows, state, {threads} threads, wall seconds"
    time_steps(benchmark, label, role, batches * 8, stepped(env, tasks, 8, batches))
    env.close()


@in_processor_seconds
@pytest.mark.parametrize("observation", ["state", "pixels"])
def test_parallel_env(benchmark, observation):
    """Both players observe."""
    env = parallel_env(first_task(), observation=observation)
    actions = [dict(zip(env.possible_agents, joint)) for joint in random_joint_actions(STEPS)]

    def advance() -> None:
        env.reset()
        for joint in actions:
            env.step(joint)

    time_steps(benchmark, f"XLand parallel_env, 2 players, {observation}", "ours", STEPS, advance)


@in_processor_seconds
@pytest.mark.parametrize("observation", ["state", "pixels"])
def test_single_env(benchmark, observation):
    """One learning player beside one that does nothing."""
    env = gymnasium.make(
        "XLand-v0", tasks=first_task(), observation=observation, co_players="noop", disable_env_checker=True
    )
    time_steps(benchmark, f"XLand-v0, {observation}", "ours", STEPS, stepper(env, STEPS))


@in_processor_seconds
@pytest.mark.parametrize("players", [1, 2])
def test_pictures(benchmark, simulation, players):
    scene = scenery([simulation.task.world])
    pictures = np.empty((1, players, *PICTURE_SHAPE, 3), np.uint8)

    def advance() -> None:
        for _ in range(STEPS):
            draw_players(simulation.states, scene, pictures)

    time_steps(benchmark, f"of a step with pixels, {players} pictures", "ours", STEPS, advance)


@in_processor_seconds
def test_entities(benchmark, simulation):
    """What both players observe with ``observation="state"``, from the state to the arrays."""
    observer, joint = Observer(simulation, "state", False), random_joint_actions(1)[0]

    def advance() -> None:
        for _ in range(STEPS):
            observer.observe(joint, 2)

    time_steps(benchmark, "of a step with states, 2 observations", "ours", STEPS, advance)


@in_processor_seconds
def test_gymnasium_robotics(benchmark):
    """Simulates 0.05 s a step."""
    import gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make("AntMaze_UMaze-v5")
    time_steps(benchmark, "gymnasium-robotics AntMaze_UMaze-v5", "peer", STEPS, single_stepper(env, STEPS))


@in_processor_seconds
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_xland_minigrid(benchmark):
    """A grid of 9 x 9 without physics, compiled, stepped one by one; it compiles in the warm-up."""
    import jax
    import xminigrid
    from xminigrid.wrappers import GymAutoResetWrapper

    env, params = xminigrid.make("XLand-MiniGrid-R1-9x9")
    env = GymAutoResetWrapper(env)
    step = jax.jit(env.step)
    first = jax.block_until_ready(jax.jit(env.reset)(params, jax.random.key(0)))
    actions = np.random.default_rng(0).integers(0, env.num_actions(params), STEPS).tolist()

    def advance() -> None:
        state = first
        for action in actions:
            state = step(params, state, action)
        jax.block_until_ready(state)

    time_steps(benchmark, "XLand-MiniGrid-R1-9x9, no physics", "peer", STEPS, advance)

"""XLand's simulation with 12 objects and 2 players, beside the same physics without sleep: ``make bench``.

A step is one of the agents: 13 of the physics, the state, the predicates and the rewards. No time is asserted.
"""

from copy import copy

import mujoco
import numpy as np
import pytest

from procgen_bench.engine.physics_state import load_physics
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.model import SUBSTEPS
from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from tests.performance.stepping import in_processor_seconds, time_start_up, time_steps

#: Tasks of two players and 12 objects; every round takes an episode of each.
NUM_TASKS = 4
#: States of an episode from which the physics alone is stepped.
MOMENTS = 30

FIRST_STEP = """
import numpy as np, time
begun = time.perf_counter()
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import load_suite
task = load_suite("hand_authored")["capture_the_cube"]
XLandSimulation(task).step(np.array([NOOP] * len(task.game.goals)))
print(time.perf_counter() - begun)
"""


@pytest.fixture(scope="module")
def tasks() -> list:
    two = (task for task in load_suite("test") if task.game.num_players == 2)
    return [next(two) for _ in range(NUM_TASKS)]


@pytest.fixture(scope="module")
def actions() -> np.ndarray:
    return np.random.default_rng(0).integers(0, ACTION_CHOICES, (EPISODE_STEPS, 2, len(ACTION_CHOICES)))


def play(simulation: XLandSimulation, actions: np.ndarray) -> None:
    simulation.reset()
    for joint in actions:
        simulation.step(joint)


def stepper(tasks, actions, sleep: bool):
    simulations = [XLandSimulation(task, sleep) for task in tasks]
    assert all(len(simulation.bodies.objects) == 12 for simulation in simulations)

    def advance() -> None:
        for simulation in simulations:
            play(simulation, actions)

    return advance


@in_processor_seconds
def test_agent_steps(benchmark, tasks, actions):
    time_steps(benchmark, "agent steps", "ours", NUM_TASKS * EPISODE_STEPS, stepper(tasks, actions, sleep=True))


@in_processor_seconds
def test_agent_steps_without_sleep(benchmark, tasks, actions):
    steps = EPISODE_STEPS // 10
    advance = stepper(tasks, actions[:steps], sleep=False)
    time_steps(benchmark, "agent steps, sleep off", "peer", NUM_TASKS * steps, advance)


@in_processor_seconds
def test_physics_alone(benchmark, tasks, actions):
    """Its share of agent steps: from states in their midst, with the forces that were written last."""
    played, copies = [XLandSimulation(task) for task in tasks], []
    for moment in range(0, EPISODE_STEPS, EPISODE_STEPS // MOMENTS):
        for simulation in played:
            for joint in actions[moment : moment + EPISODE_STEPS // MOMENTS]:
                simulation.step(joint)
            copies.append((copy(simulation).bodies, simulation.save()))

    def put_there() -> None:
        for bodies, state in copies:
            load_physics(bodies.data, state)

    def advance() -> None:
        for bodies, _ in copies:
            mujoco.mj_step(bodies.model, bodies.data, SUBSTEPS)

    time_steps(benchmark, "of that, physics", "ours", len(copies), advance, put_there)


@in_processor_seconds
def test_predicates_alone(benchmark, tasks, actions):
    """Their share of agent steps: atoms of the game, and rewards."""
    simulation = XLandSimulation(tasks[0])
    play(simulation, actions[:100])
    goals = compile_goals([simulation.task.game])
    used, truths, out = goals.used_atoms(), simulation.truths, np.zeros((1, 2))

    def advance() -> None:
        for _ in range(EPISODE_STEPS):
            evaluate_atoms(simulation.states, truths, used)
            rewards(truths, goals, out)

    time_steps(benchmark, "of that, predicates and rewards", "ours", EPISODE_STEPS, advance)


@in_processor_seconds
def test_new_simulations(benchmark, tasks):
    """Compiling the worlds' models."""

    def make() -> None:
        for task in tasks:
            XLandSimulation(task)

    time_steps(benchmark, "new simulations", "ours", NUM_TASKS, make)


@pytest.mark.parametrize(("label", "program"), [("XLand: first step, imports included, kernels cached", FIRST_STEP)])
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)

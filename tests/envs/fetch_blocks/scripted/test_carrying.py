"""The controller in the physics, from every kind of state that programs begin in."""

import numpy as np
import pytest

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, Waypoint
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, Program
from procgen_bench.tasks.programs.states import block_positions, goals_with_block_first, with_block_first
from procgen_bench.tasks.programs.zones import BLOCK_RADIUS

SIMULATION = FetchBlocksSimulation(4)
UP = np.array([0.0, 0.0, 0.05])
#: Kinds of programs, by how their names begin.
KINDS = ("Stack", "Move")


def atomic_program(rng: np.random.Generator, kind: str) -> Program:
    """Any atomic program of a kind."""
    programs = [program for program in PROGRAMS.values() if program.is_atomic and program.name.startswith(kind)]
    return programs[rng.integers(len(programs))]


def scattered(rng, block):
    """All on the table."""
    SIMULATION.begin(draw_start(rng, 4, block, randomness=1.0))


def of_the_paper(rng, block):
    """In the gripper, under it, in stacks, on the table."""
    SIMULATION.begin(draw_start(rng, 4, block))


def held(rng, block):
    """In the gripper."""
    while (start := draw_start(rng, 4, block)).levels[block] != HELD:
        pass
    SIMULATION.begin(start)


def turned(rng, block):
    """All on the table, turned by up to an eighth about the vertical."""
    scattered(rng, block)
    halves = rng.uniform(-np.pi / 8, np.pi / 8, 4)
    quaternions = np.column_stack([np.cos(halves), np.zeros((4, 2)), np.sin(halves)])
    for name, quaternion in enumerate(quaternions):
        SIMULATION.data.joint(f"object{name}:joint").qpos[3:] = quaternion
    SIMULATION.forward()


def on_top(rng, block):
    """On a stack of one or two others."""
    _arranged(rng, block, [UP, 2 * UP][: rng.integers(1, 3)], from_below=True)


def between_neighbours(rng, block):
    """With others as close beside it as fingers can bear, on either side."""
    _arranged(rng, block, [np.array([0.0, 0.072, 0.0]), np.array([0.0, -0.072, 0.0])])


def beside_a_stack(rng, block):
    """With a stack of two close to it."""
    place = np.array([[0.062, 0.0, 0.0], [-0.062, 0.0, 0.0], [0.0, 0.085, 0.0]])[rng.integers(3)]
    _arranged(rng, block, [place, place + UP])


def gripping_another(rng, block):
    """With another block, on the table, between the fingers."""
    scattered(rng, block)
    other = (block + 1) % 4
    carrying = Carrying(other, SIMULATION.positions[other] + 4 * UP)
    while carrying.waypoint != Waypoint.CLOSE:
        SIMULATION.step(carrying.act(SIMULATION.state))
    SIMULATION.step(np.array([0.0, 0.0, 0.0, -1.0]))


def _arranged(rng, block, offsets, from_below=False):
    """Others at offsets from the block; or, from below, the block and others above one of them."""
    while True:
        start = draw_start(rng, 4, block, randomness=1.0)
        positions, others = start.positions, rng.permutation(np.delete(np.arange(4), block))
        if from_below:
            positions[[*others[1 : len(offsets)], block]] = positions[others[0]] + np.array(offsets)
        else:
            positions[others[: len(offsets)]] = positions[block] + np.array(offsets)
        apart = np.abs(positions[:, np.newaxis] - positions) >= [0.051, 0.066, 0.049]
        if (apart.any(axis=2) | np.eye(4, dtype=bool)).all() and (np.abs(positions[:, 1] - 0.75) < 0.32).all():
            break
    SIMULATION.begin(start)
    SIMULATION.place(positions)
    SIMULATION.forward()


CASES = [scattered, of_the_paper, held, turned, on_top, between_neighbours, beside_a_stack, gripping_another]


def succeeds(kind: str, case, rng: np.random.Generator) -> bool:
    """Whether an atomic program of a kind has done its work when its time is over."""
    program = atomic_program(rng, kind)
    case(rng, program.blocks[0])
    while not program.precondition(SIMULATION.state):
        case(rng, program.blocks[0])
    goal = program.goal(SIMULATION.state)
    carrying = Carrying(program.blocks[0], goal.reshape(4, 3)[program.blocks[0]])
    for _ in range(ATOMIC_STEPS):
        action = carrying.act(SIMULATION.state)
        assert action.shape == (4,) and (np.abs(action) <= 1.0).all()
        SIMULATION.step(action)
    return bool(program.postcondition(SIMULATION.state, goal))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_some_of_every_case_succeed(kind, case):
    rng = np.random.default_rng(5)
    assert np.mean([succeeds(kind, case, rng) for _ in range(4)]) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_nearly_all_succeed(kind, case):
    rng = np.random.default_rng(6)
    assert np.mean([succeeds(kind, case, rng) for _ in range(200)]) >= 0.95


def test_a_zone_with_other_blocks_in_it_takes_one_more():
    rng = np.random.default_rng(7)
    for _ in range(10):
        start = draw_start(rng, 4, 0, randomness=1.0)
        positions = start.positions
        positions[1:3] = PROGRAMS["Move_To_Zone_1_BLUE"].goal(_state(positions)).reshape(4, 3)[1]
        positions[2] += [0.0, 0.12, 0.0]
        program = PROGRAMS["Move_To_Zone_0_BLUE"]
        if not program.precondition(_state(positions)) or np.abs(positions[:, 1] - 0.93).argsort()[0] == 0:
            continue
        if np.abs(positions[3] - positions[2]).max() < 2 * BLOCK_RADIUS:  # one would stand in the other
            continue
        SIMULATION.begin(start)
        SIMULATION.place(positions)
        goal = program.goal(SIMULATION.forward())
        carrying = Carrying(0, goal[:3])
        for _ in range(ATOMIC_STEPS):
            SIMULATION.step(carrying.act(SIMULATION.state))
        assert program.postcondition(SIMULATION.state, goal)


def _state(positions: np.ndarray) -> np.ndarray:
    state = np.zeros(70)
    block_positions(state)[:] = positions
    return state


def test_a_block_is_held_where_its_place_is_in_the_air():
    rng = np.random.default_rng(8)
    SIMULATION.begin(draw_start(rng, 4, 0, randomness=1.0))
    place = np.array([1.3, 0.75, 0.6])
    carrying = Carrying(0, place)
    for _ in range(2 * ATOMIC_STEPS):
        SIMULATION.step(carrying.act(SIMULATION.state))
    assert np.linalg.norm(SIMULATION.positions[0] - place) < 0.01
    assert carrying.waypoint == Waypoint.LOWER


def test_any_order_of_the_blocks_is_carried_alike():
    SIMULATION.begin(draw_start(np.random.default_rng(9), 4, 2, randomness=1.0))
    state = SIMULATION.state
    goal = PROGRAMS["Move_To_Zone_2_BLUE"].goal(state)
    action = Carrying(2, goal.reshape(4, 3)[2]).act(state)
    assert np.array_equal(action, Carrying(0, goals_with_block_first(goal, 2)[:3]).act(with_block_first(state, 2)))


def test_a_block_that_slips_away_is_taken_again():
    rng = np.random.default_rng(10)
    SIMULATION.begin(draw_start(rng, 4, 0, randomness=1.0))
    program = PROGRAMS["Move_To_Zone_0_BLUE"]
    goal = program.goal(SIMULATION.state)
    carrying, slipped = Carrying(0, goal[:3]), False
    for _ in range(2 * ATOMIC_STEPS):
        action = carrying.act(SIMULATION.state)
        if carrying.waypoint == Waypoint.CARRY and SIMULATION.positions[0, 2] > 0.46 and not slipped:
            slipped = True
            for _ in range(5):
                SIMULATION.step(np.array([0.0, 0.0, 0.0, 1.0]))
        else:
            SIMULATION.step(action)
    assert slipped and carrying.waypoint == Waypoint.DONE
    assert program.postcondition(SIMULATION.state, goal)

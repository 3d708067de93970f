"""What the hand holds, whether it is off a block, and which blocks stand on others."""

import math

import networkx
import numpy as np
import pytest

from procgen_bench.tasks.programs import PROGRAMS, dependency_graph, goal_reached
from procgen_bench.tasks.programs.hand import held_block, is_let_go, stands_on_another
from procgen_bench.tasks.programs.states import (
    FINGER_POSITIONS,
    GOAL_SIZE,
    GRIPPER_POSITION,
    POSITION,
    STATE_SIZE,
    block_positions,
    goals_with_block_first,
    joined,
    split,
    with_block_first,
)


def reference(achieved, desired) -> bool:
    pairs = zip(achieved.reshape(-1, 3), desired.reshape(-1, 3))
    return all(math.dist(one, other) <= 0.05 for one, other in pairs)


@pytest.mark.parametrize("blocks", [1, 2, 4, 6])
def test_a_goal_is_met_where_every_block_is_in_its_sphere(blocks):
    rng = np.random.default_rng(0)
    achieved = rng.uniform(0, 1, (2_000, 3 * blocks))
    desired = achieved + rng.normal(0, 0.02, achieved.shape)
    expected = [reference(one, other) for one, other in zip(achieved, desired)]
    assert goal_reached(achieved, desired).tolist() == expected
    assert goal_reached(achieved.reshape(4, 500, -1), desired.reshape(4, 500, -1)).ravel().tolist() == expected
    assert 0 < sum(expected) < 2_000
    one_goal = [reference(one, achieved[5]) for one in achieved]
    assert goal_reached(achieved, achieved[5]).tolist() == one_goal and one_goal[5]


def test_it_is_what_atomic_programs_ask_for():
    rng = np.random.default_rng(1)
    states = rng.uniform(0, 1, (2_000, 70))
    achieved = block_positions(states).reshape(-1, 12)
    goals = achieved + rng.normal(0, 0.02, achieved.shape)
    assert np.array_equal(goal_reached(achieved, goals), PROGRAMS["Stack_0_1"].postcondition(states, goals))


def state(hand, places=((1.3, 0.6, 0.425), (1.31, 0.6, 0.475), (1.2, 0.9, 0.425))):
    """A state (55,) of three blocks, block 1 on block 0, with the hand in a place."""
    blocks = np.zeros((len(places), 15))
    blocks[:, :3], blocks[:, 6:9] = places, np.array(places) - hand
    return np.concatenate([blocks.ravel(), hand, np.zeros(7)])


@pytest.mark.parametrize(
    ("height", "held", "let_go"), [(0.475, 1, False), (0.504, 1, False), (0.51, None, False), (0.516, None, True)]
)
def test_a_block_is_held_within_3_cm_and_let_go_beyond_4(height, held, let_go):
    found = state(np.array([1.31, 0.6, height]))
    assert held_block(found) == held
    assert is_let_go(np.stack([found] * 2), 1).tolist() == [let_go] * 2 and is_let_go(found, 2)


def test_the_nearest_block_is_held():
    assert held_block(state(np.array([1.303, 0.6, 0.44]))) == 0


def test_a_block_on_the_table_or_lifted_off_stands_on_no_other():
    found = state(np.zeros(3))
    assert [stands_on_another(found, block) for block in range(3)] == [False, True, False]
    lifted = state(np.zeros(3), ((1.3, 0.6, 0.425), (1.31, 0.6, 0.56)))
    assert not stands_on_another(lifted, 1)


def test_sizes_are_those_of_the_paper():
    assert (STATE_SIZE, GOAL_SIZE) == (70, 12)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
@pytest.mark.parametrize("num_blocks", [2, 4, 6])
def test_parts_are_where_the_layout_says(shape, num_blocks):
    states = np.random.default_rng(0).normal(size=(*shape, 15 * num_blocks + 10))
    blocks, gripper = split(states)
    assert blocks.shape == (*shape, num_blocks, 15) and gripper.shape == (*shape, 10)
    assert np.array_equal(blocks[..., 1, POSITION], states[..., 15:18])
    assert np.array_equal(gripper[..., GRIPPER_POSITION], states[..., -10:-7])
    assert np.array_equal(gripper[..., FINGER_POSITIONS], states[..., -7:-5])
    assert np.array_equal(joined(blocks, gripper), states)


def test_block_is_put_first_in_a_circle():
    state = np.concatenate([np.repeat([0.0, 1.0, 2.0, 3.0], 15), np.arange(10)])
    first = with_block_first(state, 2)
    assert block_positions(first)[:, 0].tolist() == [2, 3, 0, 1]
    assert np.array_equal(first[-10:], state[-10:])
    goal = block_positions(state).ravel()
    assert np.array_equal(goals_with_block_first(goal, 2), block_positions(first).ravel())
    assert np.array_equal(goals_with_block_first(np.tile(goal, (5, 1)), 3)[4, :3], [3, 3, 3])


def test_programs_call_lower_levels_only():
    graph = dependency_graph(PROGRAMS)
    assert set(graph) == set(PROGRAMS)
    assert networkx.is_directed_acyclic_graph(graph)
    for caller, called in graph.edges:
        assert PROGRAMS[called].level < PROGRAMS[caller].level
    assert graph.out_degree("Stack_0_1") == 0
    assert graph.out_degree("Stack_All_Blocks") == 20
    assert graph.out_degree("Clean_And_Stack") == 25


def test_plans_are_part_of_the_graph():
    graph = dependency_graph(PROGRAMS)
    planned = {edge for edge in graph.edges if graph.edges[edge]["is_planned"]}
    assert planned == {(program.name, name) for program in PROGRAMS.values() for name in program.calls}
    assert ("Clean_And_Stack", "Stack_All_To_Zone_BLUE") in planned
    assert ("Stack_All_To_Zone_BLUE", "Stack_3_2") in planned
    assert ("Stack_All_To_Zone_BLUE", "Stack_3_1") not in planned


def test_every_plan_comes_down_to_atomic_programs():
    graph = dependency_graph(PROGRAMS)
    for program in PROGRAMS.values():
        atomic = [name for name in networkx.descendants(graph, program.name) if PROGRAMS[name].is_atomic]
        assert program.is_atomic or atomic
        assert 1 <= program.most_atomic_calls <= 4


def test_graph_is_nobodys_to_change():
    with pytest.raises(networkx.NetworkXError, match=r"[Ff]rozen"):
        dependency_graph(PROGRAMS).remove_node("Stack_0_1")

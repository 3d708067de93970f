import numpy as np
import pytest

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

"""What the hand holds, whether it is off a block, and which blocks stand on others."""

import numpy as np
import pytest

from procgen_bench.tasks.programs.hand import held_block, is_let_go, stands_on_another


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

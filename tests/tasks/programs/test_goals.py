import math

import numpy as np
import pytest

from procgen_bench.tasks.programs import PROGRAMS, goal_reached
from procgen_bench.tasks.programs.states import block_positions


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

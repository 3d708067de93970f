"""The rules that begin and end a step in every native family, on rows whose outcome is known."""

import numpy as np
import pytest

from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step

ACTIVE = np.array([True, True, True, False])


@pytest.fixture
def outcomes():
    """Rewards, terminations, truncations, successes and elapsed of four rows, none as at an episode's beginning."""
    return np.full(4, 7.0), *(np.ones(4, np.bool_) for _ in range(3)), np.array([1, 4, 5, 5])


def test_only_the_rows_that_begin_are_cleared(outcomes):
    begin(outcomes, np.array([True, False, True, False]))
    assert [array.tolist() for array in outcomes] == [[0, 7, 0, 7], *[[False, True, False, True]] * 3, [0, 4, 0, 5]]


def test_active_rows_are_counted_and_truncated_at_the_limit(outcomes):
    count_steps(outcomes, ACTIVE, 5)
    rewards, terminations, truncations, successes, elapsed = outcomes
    assert elapsed.tolist() == [2, 5, 6, 5]
    assert truncations.tolist() == [False, True, True, True]
    assert terminations.all() and successes.all() and (rewards == 7).all()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(("distance_step", "failure"), [(4, -3.0), (0, 0.0)])
def test_active_rows_are_judged_by_their_distance(outcomes, dtype, distance_step, failure):
    score_goal_step(outcomes, ACTIVE, np.array([3, 3, 2, 3], dtype), 2.0, distance_step)
    rewards, terminations, truncations, successes, elapsed = outcomes
    assert rewards.tolist() == [0.0, failure, 1.0, 7.0]
    assert terminations.tolist() == successes.tolist() == [False, False, True, True]
    assert truncations.all() and elapsed.tolist() == [1, 4, 5, 5]

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.envs.table_push.rewards import progress, reward_push

distances = st.lists(st.floats(0.0, 1.2), min_size=2, max_size=10)


def test_ends():
    assert reward_push(0.3, 0.1, 0.4, False, False) == (1.0, True, True)
    assert reward_push(0.3, 0.05, 0.4, True, True) == (-0.2, True, False)
    assert reward_push(0.3, 0.05, 0.4, False, True) == (-0.1, True, False)
    assert reward_push(np.nan, np.nan, 0.4, False, False) == (0.0, False, False)


def test_the_goal_is_earned_by_coming_to_it():
    assert reward_push(0.05, 0.05, 0.4, False, False) == (0.0, False, False)
    assert reward_push(0.1, 0.05, 0.4, False, False) == (0.0, False, False)
    assert reward_push(0.101, 0.1, 0.4, False, False) == (1.0, True, True)


def test_progress_is_the_gained_share_of_the_range():
    assert progress(0.4, 0.25, 0.6) == pytest.approx(0.15 / 0.5)
    assert progress(0.25, 0.4, 0.6) == pytest.approx(-0.15 / 0.5)
    assert progress(0.65, 0.5, 0.6) == pytest.approx(0.10 / 0.5)
    assert progress(0.7, 0.65, 0.6) == progress(0.7, 0.8, 0.6) == 0.0
    assert progress(0.2, 0.15, 0.1) == progress(0.05, 0.2, 0.1) == 0.0
    assert progress(0.05, 0.2, 0.6) == pytest.approx(-0.1 / 0.5)


@given(distances, st.floats(0.11, 0.6))
def test_progress_of_an_episode_is_at_most_one_and_nothing_for_a_round_trip(way, goal_range):
    total = sum(progress(before, after, goal_range) for before, after in pairwise(way))
    assert -1 - 1e-9 <= total <= 1 + 1e-9
    back = total + progress(way[-1], way[0], goal_range)
    assert back == pytest.approx(0, abs=1e-9)

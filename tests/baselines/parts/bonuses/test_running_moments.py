import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.baselines.parts.bonuses.running_moments import RunningMoments, discounted_sums


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_moments_in_parts_are_those_of_the_whole(sizes, seed):
    values = np.random.default_rng(seed).normal(3, 100, (sum(sizes), 2, 3))
    moments = RunningMoments((2, 3))
    for part in np.split(values, np.cumsum(sizes)[:-1]):
        moments = moments.updated(part)
    assert moments.count == len(values)
    assert np.allclose(moments.mean, values.mean(axis=0))
    assert np.allclose(moments.deviation, values.std(axis=0))


def test_updating_leaves_the_old_moments_and_a_restored_copy_goes_on():
    first = RunningMoments().updated(np.array([1.0, 2.0]))
    copy = RunningMoments()
    copy.restore(first.state())
    assert all(isinstance(array, np.ndarray) for array in first.state().values())
    second = first.updated(np.array([9.0]))
    assert (first.count, first.mean, first.variance) == (2, 1.5, 0.25)
    assert (second.count, second.mean) == (3, 4.0)
    assert copy.updated(np.array([9.0])).state() == second.state()
    assert RunningMoments().deviation == 1.0


def test_sums_are_discounted_once_a_step():
    values = np.array([[1.0, 0.0], [2.0, 4.0], [3.0, 0.0]])
    expected = [[1, 0], [2.5, 4], [4.25, 2]]
    assert discounted_sums(values, 0.5) == pytest.approx(np.array(expected))
    assert values[1, 0] == 2.0


def test_sums_are_restored_and_reset():
    values, starts = np.ones((3, 2)), np.array([[False, True], [False, False], [True, False]])
    sums = discounted_sums(values, 0.5, starts, before=np.array([4.0, 4.0]))
    assert sums == pytest.approx(np.array([[3, 1], [2.5, 1.5], [1, 1.75]]))

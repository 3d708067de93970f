import numpy as np
import pytest
from rliable import library

from procgen_bench.leaderboards.statistics.estimates import mean_over_runs
from procgen_bench.leaderboards.statistics.profiles import normalised_runs, performance_profile

THRESHOLDS = np.linspace(0, 1, 21)


def rng():
    return np.random.default_rng(0)


def test_profile_is_that_of_rliable():
    scores = np.random.default_rng(1).random((6, 9))
    found = performance_profile([scores], THRESHOLDS, rng())
    np.testing.assert_allclose(found.values, [library.run_score_deviation(scores, t) for t in THRESHOLDS], atol=1e-12)
    assert (np.diff(found.values) <= 0).all()


def test_intervals_are_pointwise_those_of_a_mean_over_runs():
    scores = np.random.default_rng(1).random((6, 9))
    found = performance_profile([scores], THRESHOLDS, rng())
    expected = mean_over_runs((scores > THRESHOLDS[10]).mean(axis=1), rng(), 0.0, 1.0)
    assert (found.values[10], found.low[10], found.high[10]) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert (found.low <= found.values).all() and (found.values <= found.high).all()
    assert found.low.min() >= 0 and found.high.max() <= 1


def test_benchmarks_count_alike_whatever_their_size():
    small, large = np.full((5, 1), 0.2), np.full((7, 900), 0.8)
    found = performance_profile([small, large], np.array([0.1, 0.5, 0.9]), rng())
    assert found.values.tolist() == [1.0, 0.5, 0.0]
    assert found.low.tolist() == found.high.tolist() == [1.0, 0.5, 0.0]  # no run differs from another


def test_runs_are_drawn_within_their_benchmark():
    """Two benchmarks whose runs vary alike: together they are known better than either."""
    one = np.linspace(0, 1, 8)[:, None]
    alone = performance_profile([one], np.array([0.5]), rng())
    both = performance_profile([one, one], np.array([0.5]), rng())
    assert both.values == alone.values
    assert (both.high - both.low) == pytest.approx((alone.high - alone.low) / np.sqrt(2), rel=0.15)


def test_a_benchmark_of_fewer_than_five_runs_leaves_no_interval():
    found = performance_profile([np.random.default_rng(1).random((9, 2)), np.ones((4, 2))], THRESHOLDS, rng())
    assert found.low is None and found.high is None and found.values[0] == 1.0


def test_runs_are_normalised_from_the_best_floor_to_the_best_possible_mean():
    scores = np.zeros((2, 1_000))
    scores[0, :48] = 1.0  # all that can be solved
    assert normalised_runs(scores, 0.0, 0.048).tolist() == [[pytest.approx(1.0)], [0.0]]
    assert normalised_runs(np.array([[-0.5, 0.5]]), -1.0, 1.0).tolist() == [[0.5]]
    assert normalised_runs(np.array([[0.2], [0.1], [0.6]]), 0.2, 1.0).ravel() == pytest.approx([0.0, -0.125, 0.5])

"""The intervals hold the truth about as often as they say: a smaller version of the table, on fixed boards."""

import numpy as np
import pytest
from rliable import library
from scipy import stats

from procgen_bench.leaderboards.statistics import coverage
from procgen_bench.leaderboards.statistics.coverage import TRUTHS, lines, measure, measured
from procgen_bench.leaderboards.statistics.estimates import mean_over_runs
from procgen_bench.leaderboards.statistics.profiles import normalised_runs, performance_profile

BOARDS = 600
#: Of so many boards, a share of 95 % varies by 0.9 % (one standard deviation).
SLACK = 0.02


def all_alike(num_runs: int, share: float) -> float:
    """Probability that all runs succeed, or all fail."""
    return share**num_runs + (1 - share) ** num_runs


def students(num_runs: int) -> float:
    """How often Student's interval of as many runs, which succeed or fail as likely, holds one half."""
    solved = np.arange(num_runs + 1)
    mean = solved / num_runs
    error = np.sqrt(mean * (1 - mean) / (num_runs - 1)) * stats.t.ppf(0.975, num_runs - 1)
    return float(stats.binom.pmf(solved, num_runs, 0.5)[np.abs(mean - 0.5) <= error].sum())


@pytest.mark.parametrize("num_runs", [5, 10, 30])
def test_uniform_runs_are_covered_as_said(num_runs):
    found = measure(TRUTHS["uniform"], num_runs, BOARDS, np.random.default_rng(0), resamples=500)
    assert found.held["mean"] == pytest.approx(0.945, abs=SLACK)
    assert found.held["interquartile_mean"] == pytest.approx(0.945, abs=SLACK)
    assert found.held["optimality_gap"] == found.held["mean"]
    assert found.held["median"] >= 0.93 and found.held["improvement"] >= 0.93
    assert found.undrawn == 0


@pytest.mark.parametrize("num_runs", [5, 10, pytest.param(30, marks=pytest.mark.slow)])
def test_bimodal_runs_are_covered_as_students_interval_covers_them(num_runs):
    """That is 93.75 % of five: all of the boards but those whose runs are all alike."""
    found = measure(TRUTHS["bimodal"], num_runs, BOARDS, np.random.default_rng(1))
    assert found.undrawn == pytest.approx(all_alike(num_runs, 0.5), abs=SLACK)
    for statistic in ("mean", "interquartile_mean", "median"):
        assert found.held[statistic] == pytest.approx(students(num_runs), abs=SLACK)


def test_where_one_run_in_five_fails_five_runs_often_show_no_failure_and_no_interval():
    found = measure(TRUTHS["lopsided"], 5, BOARDS, np.random.default_rng(2), resamples=500)
    assert found.undrawn == pytest.approx(all_alike(5, 0.2), abs=2 * SLACK)
    assert found.held["mean"] / (1 - found.undrawn) > 0.97  # of those that are drawn


def test_truths_are_what_endless_runs_come_to():
    for truth in TRUTHS.values():
        scores = truth.draw(20_000, np.random.default_rng(3))
        assert scores.mean() == pytest.approx(truth.mean, abs=0.01)
        assert np.median(scores.mean(axis=0)) == pytest.approx(truth.mean, abs=0.01)
        middle = stats.trim_mean(scores.ravel(), 0.25)
        assert middle == pytest.approx(truth.interquartile_mean, abs=0.02)


def test_an_interval_that_misses_is_counted(monkeypatch):
    """The measure can fail: an interval of a hundredth of the width holds next to nothing."""
    whole = measure(TRUTHS["uniform"], 5, 50, np.random.default_rng(4), resamples=100)
    monkeypatch.setattr("procgen_bench.leaderboards.statistics.resampling.widening", lambda num_runs: 0.01)
    narrow = measure(TRUTHS["uniform"], 5, 50, np.random.default_rng(4), resamples=100)
    assert narrow.held["mean"] < 0.2 < whole.held["mean"] and narrow.width < 0.02 * whole.width


def test_the_table_marks_what_the_board_does_not_draw():
    head, *shown = lines(measured(["close"], coverage.RUNS, boards=2))
    assert head.split()[:3] == ["truth", "runs", "mean"]
    assert [line.split()[1] for line in shown] == ["2*", "3*", "5", "10", "30"]
    assert all(len(line.split()) == len(head.split()) for line in shown)


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

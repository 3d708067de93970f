"""Point estimates are rliable's; intervals are over whole runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rliable import metrics
from scipy import stats

from procgen_bench.leaderboards.statistics.estimates import (
    Estimate,
    compare,
    mean_over_runs,
    means_over_runs,
    summarise,
)
from procgen_bench.leaderboards.statistics.resampling import student_bound, widening

STATISTICS = ("mean", "interquartile_mean", "median", "optimality_gap")
SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 12))
#: Few levels, so that scores tie, and many.
SCORES = st.sampled_from([1, 4, 1_000]).flatmap(
    lambda levels: arrays(np.float64, SHAPES, elements=st.integers(0, levels).map(lambda level: level / levels))
)


def rng(seed=0):
    return np.random.default_rng(seed)


def board_of(means, tasks=500):
    """A run for each mean: the share of the tasks that it solves, others in every run."""
    draw = rng(1)
    return np.stack([draw.permutation(np.arange(tasks) < round(mean * tasks)) for mean in means]).astype(np.float64)


@given(SCORES)
def test_point_estimates_are_those_of_rliable(scores):
    found = summarise(scores, 1.0, rng(), minimum=0.0, resamples=20)
    theirs = (
        metrics.aggregate_mean(scores),
        metrics.aggregate_iqm(scores),
        metrics.aggregate_median(scores),
        metrics.aggregate_optimality_gap(scores),
    )
    assert [getattr(found, name).value for name in STATISTICS] == pytest.approx(theirs, abs=1e-12)


@given(SCORES, st.integers(1, 9), st.integers(0, 99))
def test_probability_of_improvement_is_that_of_rliable(scores, num_others, seed):
    others = rng(seed).choice(scores.ravel(), (num_others, scores.shape[1]))
    expected = metrics.probability_of_improvement(scores, others)
    assert compare(scores, others, rng(), resamples=20).value == pytest.approx(expected, abs=1e-12)
    assert compare(others, scores, rng(), resamples=20).value == pytest.approx(1 - expected, abs=1e-12)


def test_ten_runs_from_nothing_to_all_are_not_known_to_a_hundredth():
    """Resampling every task's runs on their own gave [0.789, 0.810] where runs were that different."""
    scores = board_of(np.arange(10) * 0.11)
    assert scores.mean(axis=1).tolist() == pytest.approx(np.arange(10) * 0.11, abs=1e-9)
    found = summarise(scores, 1.0, rng(), minimum=0.0)
    student = stats.t.interval(0.95, 9, scores.mean(), stats.sem(scores.mean(axis=1)))
    assert (found.mean.low, found.mean.high) == pytest.approx(student, abs=0.02)
    assert student[1] - student[0] > 0.45
    assert found.interquartile_mean.high - found.interquartile_mean.low > 0.6
    assert found.median.high - found.median.low > 0.45
    by_task = [stats.sem(column) for column in scores.T]  # what is left where a run's tasks do not stay together
    assert 2 * 1.96 * np.linalg.norm(by_task) / 500 < 0.04


def test_tasks_that_vary_within_a_run_are_no_spread_of_runs():
    """Whatever is solved, if every run solves as much of it the mean does not vary."""
    found = summarise(board_of([0.4] * 10), 1.0, rng(), minimum=0.0)
    assert found.mean == Estimate(0.4) and found.optimality_gap == Estimate(0.6)


@pytest.mark.parametrize("num_runs", [1, 2, 4])
def test_fewer_than_five_runs_have_no_interval(num_runs):
    scores, five = board_of(np.linspace(0, 1, num_runs)), board_of(np.linspace(0, 1, 5))
    found = summarise(scores, 1.0, rng(), minimum=0.0)
    assert [getattr(found, name).interval for name in STATISTICS] == [None] * 4
    assert compare(scores, five, rng()).interval is None and compare(five, scores, rng()).interval is None
    assert mean_over_runs(scores.mean(axis=1), rng()).interval is None
    drawn = summarise(five, 1.0, rng(), minimum=0.0)
    assert all(getattr(drawn, name).interval for name in STATISTICS)
    assert compare(five, five, rng()).interval and mean_over_runs(five.mean(axis=1), rng()).interval


def test_runs_that_are_all_alike_have_no_interval():
    """Five of five say that it mostly comes out so, not that it always does."""
    found = summarise(np.full((5, 3), 0.982), 0.982, rng())
    assert [getattr(found, name) for name in STATISTICS] == [*[Estimate(0.982)] * 3, Estimate(0.0)]
    assert compare(np.ones((5, 3)), np.zeros((5, 3)), rng()) == Estimate(1.0)


@pytest.mark.parametrize(("num_runs", "factor"), [(5, 1.584), (10, 1.217), (30, 1.061)])
def test_intervals_are_the_bootstraps_widened_as_students(num_runs, factor):
    values = rng(3).normal(size=num_runs)
    found = mean_over_runs(values, rng(), resamples=100_000)
    plain = stats.bootstrap((values,), np.mean, method="percentile", rng=rng(), n_resamples=100_000)
    low, high = plain.confidence_interval
    assert widening(num_runs) == pytest.approx(factor, abs=0.001)
    mean, width = values.mean(), high - low
    wider = mean - factor * (mean - low), mean + factor * (high - mean)
    assert (found.low, found.high) == pytest.approx(wider, abs=0.03 * width)


def test_intervals_do_not_lead_beyond_the_range():
    scores = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    found = summarise(scores, 1.0, rng(), minimum=0.0)
    assert [found.mean.interval, found.interquartile_mean.interval, found.optimality_gap.interval] == [
        (pytest.approx(0.0, abs=0.05), 1.0),
        (0.0, 1.0),
        (0.0, pytest.approx(1.0, abs=0.05)),
    ]
    assert summarise(scores, 1.0, rng()).mean.low < found.mean.low + 1e-12
    assert mean_over_runs(scores[:, 0], rng()).high > 1
    assert mean_over_runs(scores[:, 0], rng(), 0.0, 1.0).high == 1


def test_gap_is_measured_against_the_best_possible_mean():
    scores = board_of([0.01, 0.02, 0.03, 0.04, 0.048], tasks=1_000)
    found = summarise(scores, 0.048, rng(), minimum=0.0)
    assert found.optimality_gap.value == pytest.approx(1 - scores.mean() / 0.048)
    assert found.optimality_gap.low == pytest.approx(1 - found.mean.high / 0.048)
    assert found.optimality_gap.high == pytest.approx(1 - found.mean.low / 0.048)
    assert summarise(scores, None, rng()).optimality_gap is None


def test_a_single_tasks_score_may_be_better_than_the_best_possible_mean():
    scores = np.tile([1.0, 1.0, 1.0, 0.0], (12, 1))
    scores[0] = 0.0
    found = summarise(scores, 0.75, rng(), minimum=0.0)
    assert found.interquartile_mean.value > 0.75 and found.interquartile_mean.high == 1.0
    assert found.mean.high == 0.75


@given(arrays(np.float64, st.tuples(st.integers(5, 12), st.integers(1, 5)), elements=st.floats(0, 1)))
def test_intervals_hold_the_estimate_and_lie_within_the_range(scores):
    found = summarise(scores, 1.0, rng(), minimum=0.0, resamples=200)
    for name in STATISTICS:
        estimate = getattr(found, name)
        if estimate.interval:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_means_of_many_values_are_those_of_one_each():
    values = rng(5).random((7, 3))
    for found, column in zip(means_over_runs(values, rng()), values.T, strict=True):
        one = mean_over_runs(column, rng())
        assert found.value == one.value and found.interval == pytest.approx(one.interval)


def test_complement_turns_the_interval_round():
    assert Estimate(0.75, 0.5, 1.0).complement == Estimate(0.25, 0.0, 0.5)
    assert Estimate(0.75).complement == Estimate(0.25)


def test_same_generator_same_interval():
    scores = board_of([0.1, 0.3, 0.2, 0.6, 0.5])
    assert summarise(scores, 1.0, rng(7)) == summarise(scores, 1.0, rng(7))
    assert summarise(scores, 1.0, rng(7)) != summarise(scores, 1.0, rng(8))


def test_large_matrices_are_resampled_in_batches():
    """The middle task of a row of 6,001 alike but for a shift decides the median, as the runs' means do."""
    runs = rng(2).random(6)
    scores = runs[:, None] + np.linspace(-0.1, 0.1, 6_001)
    found = summarise(scores, 2.0, rng(), resamples=500)
    assert found.median.interval == pytest.approx(found.mean.interval, abs=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 63])
def test_students_bound_is_his(freedom):
    assert student_bound(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-12)

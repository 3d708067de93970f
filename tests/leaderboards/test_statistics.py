import numpy as np
import pytest
from rliable import library, metrics
from scipy import stats

from procgen_bench.leaderboards.statistics import RESAMPLES, compare, probability_of_improvement, summarise


@pytest.fixture
def scores():
    return np.random.default_rng(1).beta(2, 3, size=(5, 20))


@pytest.fixture
def others():
    return np.random.default_rng(2).beta(2, 2, size=(4, 20))


def rliable_interval(scores, statistic, resamples=4_000):
    np.random.seed(0)  # rliable draws from the global generator
    _, intervals = library.get_interval_estimates({"method": scores}, statistic, reps=resamples)
    return np.ravel(intervals["method"])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("mean", metrics.aggregate_mean),
        ("interquartile_mean", metrics.aggregate_iqm),
        ("median", metrics.aggregate_median),
        ("optimality_gap", metrics.aggregate_optimality_gap),
    ],
)
def test_estimates_and_intervals_agree_with_rliable(scores, ours, theirs):
    estimate = getattr(summarise(scores, 1.0, np.random.default_rng(0), resamples=4_000), ours)
    assert estimate.value == pytest.approx(theirs(scores), abs=1e-12)
    low, high = rliable_interval(scores, lambda matrix: np.array([theirs(matrix)]))
    assert high - low > 0.02  # so that the tolerance below means something
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.004)


def test_probability_of_improvement_agrees_with_rliable(scores, others):
    scores, others = scores[:, :5], others[:, :5]  # rliable takes a millisecond per task and resample
    ours = compare(scores, others, np.random.default_rng(0))
    assert ours.value == pytest.approx(metrics.probability_of_improvement(scores, others), abs=1e-12)
    pair = (scores, others)
    low, high = rliable_interval(pair, lambda x, y: np.array([metrics.probability_of_improvement(x, y)]), 400)
    assert high - low > 0.1
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.03)


def test_ties_count_half_and_methods_exchange():
    tied = np.array([[0.0, 1.0]])
    assert probability_of_improvement(tied, tied) == 0.5
    assert probability_of_improvement(tied, np.array([[1.0, 0.0]])) == 0.5
    assert probability_of_improvement(np.ones((3, 2)), np.zeros((2, 2))) == 1.0


def test_gap_is_measured_against_the_best_possible_mean(scores):
    summary = summarise(scores * 0.5, 0.5, np.random.default_rng(0))
    assert summary.optimality_gap.value == pytest.approx(1 - scores.mean())
    assert summarise(np.full((2, 3), 0.982), 0.982, np.random.default_rng(0)).optimality_gap.value == 0


def test_one_run_has_no_interval(scores, others):
    summary = summarise(scores[:1], 1.0, np.random.default_rng(0))
    for estimate in (summary.mean, summary.interquartile_mean, summary.median, summary.optimality_gap):
        assert (estimate.low, estimate.high) == (None, None)
    assert compare(scores[:1], others, np.random.default_rng(0)).low is None


def test_one_task_and_equal_runs_have_an_interval_of_no_width():
    summary = summarise(np.full((3, 1), 0.25), 1.0, np.random.default_rng(0))
    assert (summary.mean.low, summary.mean.high) == (0.25, 0.25)


def test_same_generator_same_interval(scores):
    assert summarise(scores, 1.0, np.random.default_rng(7)) == summarise(scores, 1.0, np.random.default_rng(7))
    assert summarise(scores, 1.0, np.random.default_rng(7)) != summarise(scores, 1.0, np.random.default_rng(8))


@pytest.mark.parametrize("shape", [(2, 3), (5, 20)])
def test_draws_are_those_of_scipys_bootstrap(shape):
    scores = np.random.default_rng(3).random(shape)
    summary = summarise(scores, 1.0, np.random.default_rng(0))
    expected = stats.bootstrap(
        tuple(scores.T),
        lambda *columns, axis: np.stack(columns, axis=-1).mean(axis=(-2, -1)),
        n_resamples=RESAMPLES,
        batch=200,
        vectorized=True,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert (summary.mean.low, summary.mean.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_large_matrices_are_resampled_in_small_batches():
    """Of one task whose runs differ among many whose do not, the interval is that of the one."""
    scores = np.zeros((2, 6_000))
    scores[:, 4_321] = 0.0, 6_000.0
    summary = summarise(scores, 6_000.0, np.random.default_rng(0), resamples=300)
    assert (summary.mean.low, summary.mean.value, summary.mean.high) == (0.0, 0.5, 1.0)

"""Curves over seeds as numbers, and results of runs, from curves that are written by hand."""

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.sweeps.curves import line, outcome


def curve(*successes, seconds=60.0):
    rows = [
        {"step": 50.0 * k, "seconds": seconds * k, "success": success, "distance": 9.0 - k, "loss": float("nan")}
        for k, success in enumerate(successes)
    ]
    del rows[0]["distance"]
    return rows


THREE = [curve(0.0, 0.4, 0.8 + 0.1 * seed) for seed in range(3)]
FIVE = [curve(0.0, 0.2, 0.8 + 0.05 * seed) for seed in range(5)]


def test_lines_are_means_between_evaluations():
    drawn = line(THREE, "success")
    assert drawn.x[0] == 0 and drawn.x[-1] == 100
    assert drawn.mean[0] == 0 and drawn.mean[-1] == pytest.approx(0.9)
    assert np.interp(25, drawn.x, drawn.mean) == pytest.approx(0.2, abs=0.01)
    assert drawn.low is None and sorted(drawn.runs[:, -1]) == pytest.approx([0.8, 0.9, 1.0])  # three have no interval
    assert line(THREE, "distance").x[0] == 50  # the first evaluation did not measure it
    assert line(THREE, "novelty") is None and line(THREE, "loss") is None and line([], "success") is None


def test_lines_over_seconds_go_as_far_as_every_run():
    drawn = line([curve(0.0, 0.5, 1.0), curve(0.0, 0.5, 1.0, seconds=30.0)], "success", "seconds")
    assert (drawn.x[0], drawn.x[-1]) == (0, 60)
    assert drawn.runs[:, -1].tolist() == [0.5, 1.0] and drawn.mean[-1] == 0.75
    late = [row | {"seconds": row["seconds"] + 1000} for row in THREE[0]]
    assert line([THREE[0], late], "success", "seconds") is None


def test_five_runs_have_a_band_which_closes_where_they_agree():
    drawn = line(FIVE, "success")
    assert drawn.low[0] == drawn.mean[0] == drawn.high[0] == 0
    assert drawn.mean[-1] == pytest.approx(0.9)
    assert 0.75 < drawn.low[-1] < 0.9 < drawn.high[-1] <= 1.0


def test_bands_end_where_the_measures_range_does():
    runs = [[row | {"return": row["success"]} for row in curve(0.0, success)] for success in (1.0, 1.0, 1.0, 0.0, 0.0)]
    bounded, free = line(runs, "success"), line(runs, "return")
    assert free.high[-1] > 1 and 0 <= bounded.low[-1] < bounded.mean[-1] < bounded.high[-1] <= 1


def test_outcomes_are_of_the_last_evaluations():
    found = outcome(THREE)
    assert found.mean.value == pytest.approx(0.9) and found.mean.interval is None
    assert found.runs == pytest.approx((0.8, 0.9, 1.0))
    assert (found.steps, found.seconds) == (100, 120.0)
    assert outcome([*THREE, []]) == found and outcome([]) is None
    assert outcome([THREE[0], THREE[1][:2]]).steps == 50, "as far as all have come"


def test_what_was_forgotten_again_does_not_count():
    assert outcome([curve(0.0, 1.0, 0.25), curve(0.5, 0.75, 0.75)]).runs == (0.25, 0.75)


def test_the_interquartile_mean_leaves_out_a_run_that_failed():
    found = outcome([*FIVE[1:], curve(0.0, 0.0, 0.0)])
    assert found.mean.value == pytest.approx((0.85 + 0.9 + 0.95 + 1.0) / 5)
    assert found.interquartile_mean.value == pytest.approx((0.85 + 0.9 + 0.95) / 3)
    low, high = found.mean.interval
    assert 0 <= low < found.mean.value < high <= 1


def test_measures_may_be_negative():
    runs = [[{"step": 10.0, "seconds": 1.0, "return": -0.1 * seed}] for seed in range(1, 6)]
    found = outcome(runs, "return")
    assert found.mean.value == pytest.approx(-0.3) and found.mean.low < -0.3 < found.mean.high


def test_intervals_of_a_benchmarks_metric_end_at_the_best_that_it_gives():
    target = get_benchmark("grid-world/target-c")
    runs = [[{"step": 10.0, "seconds": 1.0, "return": value}] for value in (0.966, 0.966, 0.966, -0.05, -0.1)]
    assert outcome(runs, "return").mean.high > target.maximum
    bounded = outcome(runs, "return", target).mean
    assert bounded.low < bounded.value < bounded.high == target.maximum


def test_bands_of_a_benchmarks_metric_end_there_too():
    target = get_benchmark("grid-world/target-c")
    ends = (0.966, 0.966, 0.966, -0.05, -0.1)
    runs = [[{"step": 10.0 * k, "seconds": k, "return": value} for k in range(2)] for value in ends]
    assert (line(runs, "return").high > target.maximum).all()
    bounded = line(runs, "return", benchmark=target)
    assert (bounded.low < bounded.mean).all() and (bounded.high == target.maximum).all()

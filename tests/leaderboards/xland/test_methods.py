"""Methods of several runs, and who of them dominates whom."""

from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.leaderboards.statistics.estimates import Estimate, mean_over_runs
from procgen_bench.leaderboards.xland.comparisons import compare_methods
from procgen_bench.leaderboards.xland.methods import summarise_method
from procgen_bench.leaderboards.xland.summaries import AgentSummary


def run_of(*curve, participation=0.5):
    percentiles = dict(enumerate(map(Estimate, curve)))
    uncut = {place: Estimate(2 * estimate.value) for place, estimate in percentiles.items()}
    return AgentSummary("a", percentiles, Estimate(participation), uncut)


def method_of(*curves, rank=1):
    return summarise_method(SimpleNamespace(rank=rank), [run_of(*curve) for curve in curves], np.random.default_rng(0))


def test_a_method_is_the_mean_of_its_runs():
    runs = [
        run_of(0.0, 0.4, participation=0.2),
        run_of(0.2, 0.8, participation=0.6),
        run_of(0.1, 0.9, participation=1.0),
        run_of(0.1, 0.6, participation=0.9),
        run_of(0.1, 0.8, participation=0.8),
    ]
    summary = summarise_method(SimpleNamespace(rank=1), runs, np.random.default_rng(0))
    assert summary.curve.tolist() == pytest.approx([0.1, 0.7]) and summary.participation.value == pytest.approx(0.7)
    values = np.array([run.percentiles[1].value for run in runs])
    of_median = mean_over_runs(values, np.random.default_rng(0), minimum=0.0)
    assert summary.percentiles[1].interval == pytest.approx(of_median.interval)
    assert 0 < summary.participation.low < 0.7 < summary.participation.high == 1.0
    assert summary.runs == runs
    assert [estimate.value for estimate in summary.uncut.values()] == pytest.approx([0.2, 1.4])


def test_four_runs_have_no_interval():
    summary = method_of((0.1, 0.2), (0.1, 0.3), (0.1, 0.4), (0.1, 0.3))
    assert summary.percentiles[1] == Estimate(pytest.approx(0.3)) and summary.participation == Estimate(0.5)


def test_means_over_runs_are_compared_and_oracles_do_not_compete():
    oracle, both, low, high = (
        method_of((0.9, 0.9), rank=None),
        method_of((0.0, 0.6), (0.4, 0.6), rank=1),
        method_of((0.1, 0.6), rank=2),
        method_of((0.0, 0.8), rank=3),
    )
    found = compare_methods([oracle, both, low, high])
    assert [comparison.dominates for comparison in found] == [[both, low, high], [low], [], []]
    assert [comparison.on_front for comparison in found] == [None, True, False, True]


def test_oracles_alone_have_no_front():
    (found,) = compare_methods([method_of((0.1, 0.2), rank=None)])
    assert found.on_front is None and found.dominates == []

"""Methods of several runs, and who of them dominates whom."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.leaderboards.statistics import Estimate
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.methods import benchmark_tasks, summarise_method, team_name
from procgen_bench.leaderboards.xland.percentile_page import compare_methods
from procgen_bench.leaderboards.xland.suite_tasks import suite_tasks
from procgen_bench.leaderboards.xland.summaries import AgentSummary
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS
from procgen_bench.tasks.xland.suites import load_suite


def with_co_players(suite, names):
    """The suite's first tasks, each with each of these co-players in all other seats."""
    tasks = [
        dataclasses.replace(task, co_players=(name,) * (task.game.num_players - 1))
        for task in suite.tasks[:5]
        for name in names
    ]
    return TaskSuite("some", tuple(tasks), tuple(map(str, range(len(tasks)))))


def test_a_benchmarks_tasks_are_those_of_the_suite_with_its_co_players():
    suite = load_suite("test")
    found, named = benchmark_tasks(with_co_players(suite, TEST_CO_PLAYERS)), suite_tasks(suite)[:35]
    assert [(task.game, task.co_player) for task in found] == [(task.game, task.co_player) for task in named]
    assert len({task.world for task in found}) == 5 and len(set(found)) == 35
    assert [task.world for task in found[:7]] == [found[0].world] * 7
    with pytest.raises(InvalidReturnsError, match=r"co-players of task '0' is .*, expected a name for every"):
        benchmark_tasks(suite)


def test_teams_are_named_by_who_is_in_them():
    names = [(), ("swift",), ("swift", "swift"), ("swift", "noop")]
    assert [team_name(co_players) for co_players in names] == ["nobody", "swift", "swift", "swift + noop"]


def run_of(*curve, participation=0.5):
    return AgentSummary("a", dict(enumerate(map(Estimate, curve))), Estimate(participation), 10, 0)


def method_of(*curves, rank=1):
    return summarise_method(SimpleNamespace(rank=rank), [run_of(*curve) for curve in curves], np.random.default_rng(0))


def test_a_method_is_the_mean_of_its_runs():
    runs = [
        run_of(0.0, 0.4, participation=0.2),
        run_of(0.2, 0.8, participation=0.6),
        run_of(0.1, 0.9, participation=1.0),
    ]
    summary = summarise_method(SimpleNamespace(rank=1), runs, np.random.default_rng(0))
    assert summary.curve.tolist() == pytest.approx([0.1, 0.7]) and summary.participation.value == pytest.approx(0.6)
    assert (summary.percentiles[1].low, summary.percentiles[1].high) == pytest.approx((0.4, 0.9))
    assert (summary.participation.low, summary.participation.high) == pytest.approx((0.2, 1.0))
    assert summary.runs == runs


def test_a_single_run_has_no_interval():
    summary = method_of((0.1, 0.2))
    assert summary.percentiles[0] == Estimate(0.1) and summary.participation == Estimate(0.5)


def test_means_over_runs_are_compared_and_oracles_do_not_compete():
    told, both, low, high = (
        method_of((0.9, 0.9), rank=None),
        method_of((0.0, 0.6), (0.4, 0.6), rank=1),
        method_of((0.1, 0.6), rank=2),
        method_of((0.0, 0.8), rank=3),
    )
    found = compare_methods([told, both, low, high])
    assert [comparison.dominates for comparison in found] == [[both, low, high], [low], [], []]
    assert [comparison.on_front for comparison in found] == [None, True, False, True]


def test_oracles_alone_have_no_front():
    (found,) = compare_methods([method_of((0.1, 0.2), rank=None)])
    assert found.on_front is None and found.dominates == []

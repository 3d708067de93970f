"""CVaR of policies: of scores that are known, and of players that always, or never, solve a maze."""

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.evaluation.cvar import PERCENTS, cvar, main, task_scores


def test_it_is_the_mean_of_the_worst_tasks():
    """A tenth is never solved, a tenth half of the time, the others always."""
    scores = np.ones((100, 40))
    scores[:10] = 0
    scores[10:20, ::2] = 0
    found = cvar(scores)
    assert list(found) == list(PERCENTS)
    assert found[1] == found[10] == 0
    assert found[20] == pytest.approx(0.25, abs=0.01)
    assert found[50] == pytest.approx((10 * 0.5 + 30) / 50, abs=0.01)
    assert found[100] == pytest.approx(scores.mean())


def test_luck_does_not_make_a_task_a_bad_one():
    """All tasks are solved half of the time: the worst are as good as all, whatever came of the episodes."""
    scores = np.random.default_rng(0).integers(2, size=(2_000, 10)).astype(float)
    assert cvar(scores)[10] == pytest.approx(0.5, abs=0.03)
    assert np.sort(scores.mean(axis=1))[:200].mean() < 0.3


def test_players_whose_scores_are_known():
    benchmark = get_benchmark("ued-maze/random")
    assert task_scores(load_policy("solver", benchmark.environment_id), benchmark, 7, 5).tolist() == [[1.0] * 5] * 7
    assert not task_scores(load_policy("constant", benchmark.environment_id), benchmark, 7, 5).any()


def test_returns_are_scored_where_the_benchmark_does():
    benchmark = get_benchmark("grid-world/target-a")
    scores = task_scores(load_policy("solver", benchmark.environment_id), benchmark, 3, 5)
    assert scores.shape == (len(benchmark.task_suite()), 5) and (scores < 1).all() == (benchmark.metric == "return")


def test_the_command_prints_a_row_for_each_policy(capsys):
    main(["ued-maze/named", "solver", "constant", "--tasks", "2", "--episodes", "5"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| Policy | 1 % | 2 % | 5 % | 10 % | 20 % | 50 % | 100 % |"
    assert lines[2:] == ["| solver |" + " 1.000 |" * 7, "| constant |" + " 0.000 |" * 7]


def test_too_few_episodes_are_refused(capsys):
    benchmark = get_benchmark("ued-maze/named")
    with pytest.raises(InvalidOptionError, match="episodes 4, expected at least 1 and 5"):
        task_scores(load_policy("solver", benchmark.environment_id), benchmark, 2, 4)
    with pytest.raises(SystemExit):
        main(["ued-maze/named", "solver", "--episodes", "4"])
    assert "rank nothing" in capsys.readouterr().err

"""Figure 14: percentiles of shares of the best returns known, by checkpoint."""

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.reproduction.xland import learning_surface
from procgen_bench.leaderboards.reproduction.xland.learning_surface import LEVELS, measure_learning_surface
from tests.leaderboards.reproduction.xland.followers import pay


def test_percentiles_are_of_shares_of_the_best_returns(monkeypatch):
    """The first checkpoint earns nothing; the second all in the first half of the tasks; the third half everywhere."""
    suite = get_benchmark("xland/small").curve_suite()
    best = {task.to_text(): value for task, value in zip(suite.tasks, suite.records["best_return"])}
    shares = {"a": lambda place: 0.0, "b": lambda place: float(place < 40), "c": lambda place: 0.5}
    pay(monkeypatch, learning_surface, lambda name, place, task: shares[name](place // 2) * best[task.to_text()])
    found = measure_learning_surface(80, np.random.default_rng(0), ["a", "b", "c"])
    assert found.surface.shape == (3, len(LEVELS)) and not found.surface[0].any()
    assert found.surface[2] == pytest.approx(np.full(len(LEVELS), 0.5))
    assert set(found.surface[1].round(6)) <= {0.0, 1.0} | set(found.surface[1][7:11].round(6))
    assert found.surface[1, 0] == 0 and found.surface[1, -1] == 1
    begins = found.key_numbers()[0].ours.split(", ")
    assert begins[0] == "a 100" and begins[2] == "c 5" and 35 <= int(begins[1].split()[1]) <= 65
    found.draw()

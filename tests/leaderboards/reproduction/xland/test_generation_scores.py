"""Figure 13: generations are compared by the same tasks, whose scores are shares of the best ones known."""

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland import generation_scores
from procgen_bench.leaderboards.reproduction.xland.generation_scores import PERCENTILES, measure_generations
from procgen_bench.tasks.xland.groups import KINDS, kind_of
from tests.leaderboards.reproduction.xland.followers import pay


def test_scores_are_shares_of_the_best_returns_known(monkeypatch):
    """The second generation has half of the best return in every task, in the first of two episodes all of it; the
    third has three times as much."""
    suite = get_benchmark("xland/small").curve_suite()
    best = {task.to_text(): value for task, value in zip(suite.tasks, suite.records["best_return"])}

    def earned(name, place, task):
        if name == "noop":
            return 7.0 * (kind_of(task.game.goals[0]) == "objects")
        return {"b": 1.0, "c": 3.0}.get(name, 0.0) * best[task.to_text()] * (place % 2 == 0)

    asked = pay(monkeypatch, generation_scores, earned)
    found = measure_generations(40, np.random.default_rng(0), ["a", "b", "c"])
    assert (
        asked[0] == asked[1] == asked[2] == asked[3]
        and len({task.to_text() for task in asked[0][0]}) == 40 == len(asked[0][0]) / 2
    )
    assert found.names == ["a", "b", "c"] and found.percentiles.shape == found.uncut.shape == (3, len(PERCENTILES))
    assert not found.percentiles[0].any() and found.percentiles[1] == pytest.approx(np.full(len(PERCENTILES), 0.5))
    assert (
        found.means.tolist() == pytest.approx([0, 0.5, 1])
        and found.participation[0] == 0 < found.participation[1] <= 0.5
    )
    assert found.returns[1] == pytest.approx(np.mean([best[task.to_text()] for task in asked[0][0]]) / 2)
    places = list(found.groups)
    assert found.groups["all"] == 40 == sum(found.groups[kind] for kind in KINDS if kind in found.groups)
    assert found.gains[0, places.index("objects")] == -7 and found.gains[0, places.index("oneself")] == 0
    share = found.groups["objects"] / 40
    assert found.gains[1, 0] == pytest.approx(found.returns[1] - 7 * share)
    assert found.rewarded[1, 0] == found.participation[1]
    assert found.percentiles[2].tolist() == [1.0] * len(PERCENTILES), "cut"
    assert found.uncut[2] == pytest.approx(np.full(len(PERCENTILES), 1.5)) and found.uncut_means[2] == pytest.approx(
        1.5
    )
    assert found.uncut[:2].tolist() == found.percentiles[:2].tolist()
    median = next(number for number in found.key_numbers() if number.name == "median, uncut")
    assert median.ours == "a 0.00, b 0.50, c 1.50" and median.paper.endswith("1.12")
    found.draw()


def test_more_tasks_than_there_are_are_refused():
    with pytest.raises(InvalidOptionError, match="samples of figure 13 is 301, expected at most 300, the suite's"):
        measure_generations(301, np.random.default_rng(0), ["random", "noop"])

"""Figure 13: generations are compared by the same tasks, whose scores are shares of the best ones known."""

import numpy as np
import pytest

from procgen_bench.baselines.training.evaluation import Episode
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland import generation_scores
from procgen_bench.leaderboards.reproduction.xland.generation_scores import PERCENTILES, measure_generations


def test_scores_are_shares_of_the_best_returns_known(monkeypatch):
    """The second generation has half of the best return in every task, in the first of two episodes all of it."""
    suite = get_benchmark("xland/small").curve_suite()
    best = {task.to_text(): value for task, value in zip(suite.tasks, suite.records["best_return"])}
    asked = []

    def play(player, environment_id, tasks, seeds):
        asked.append((tasks, seeds))
        earned = [best[task.to_text()] * (player == "b" and number % 2 == 0) for number, task in enumerate(tasks)]
        return [Episode(value, value > 0, 300, True, seed, np.empty(0)) for value, seed in zip(earned, seeds)]

    class Player(str):
        def seed(self, seed):
            """It draws nothing."""

    monkeypatch.setattr(generation_scores, "load_player", Player)
    monkeypatch.setattr(generation_scores, "play_episodes", play)
    found = measure_generations(40, np.random.default_rng(0), ["a", "b"])
    assert asked[0] == asked[1] and len({task.to_text() for task in asked[0][0]}) == 40 == len(asked[0][0]) / 2
    assert found.names == ["a", "b"] and found.percentiles.shape == (2, len(PERCENTILES))
    assert not found.percentiles[0].any() and found.percentiles[1] == pytest.approx(np.full(len(PERCENTILES), 0.5))
    assert (
        found.means.tolist() == pytest.approx([0, 0.5]) and found.participation[0] == 0 < found.participation[1] <= 0.5
    )
    assert found.returns[1] == pytest.approx(np.mean([best[task.to_text()] for task in asked[0][0]]) / 2)
    found.draw()


def test_more_tasks_than_there_are_are_refused():
    with pytest.raises(InvalidOptionError, match="samples of figure 13 is 301, expected at most 300, the suite's"):
        measure_generations(301, np.random.default_rng(0), ["random", "noop"])

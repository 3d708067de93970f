"""Figure 18: three players on the same tasks, by what goals speak of, by ways and by properties of games."""

import json
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.training.evaluation import Episode
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland import relative_performance, validation_scores
from procgen_bench.leaderboards.reproduction.xland.relative_performance import (
    PLAYERS,
    measure_relative_performance,
    property_groups,
)
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.groups import KINDS, kind_of


class Player(str):
    def __new__(cls, source, environment_id=None):
        return super().__new__(cls, source)

    def seed(self, seed):
        """It draws nothing."""


def test_players_are_compared_in_the_same_episodes(monkeypatch):
    """The policy gets 30 of 300 steps where goals speak of objects, the scripted player 200 in every task, and doing
    nothing 10."""
    asked = []

    def play(player, environment_id, tasks, seeds):
        asked.append(([task.to_text() for task in tasks], seeds))
        objects = [kind_of(task.game.goals[0]) == "objects" for task in tasks]
        earned = {"own": [30.0 * one for one in objects], "noop": [10.0] * len(tasks)}
        returns = earned.get(player, [200.0] * len(tasks))
        return [Episode(value, value > 0, 300, True, seed, np.empty(0)) for value, seed in zip(returns, seeds)]

    for name in ("load_player", "load_policy"):
        monkeypatch.setattr(relative_performance, name, Player)
    monkeypatch.setattr(validation_scores, "play_episodes", play)
    found = measure_relative_performance(60, np.random.default_rng(0), ["own"])
    assert asked[0] == asked[1] == asked[2] and len(asked) == len(PLAYERS) and len(set(asked[0][0])) == 60
    places = list(found.groups)
    objects, share = places.index("objects"), found.groups["objects"] / 60
    assert found.returns[:, objects].tolist() == [30, 10, 200] and found.gains[:, objects].tolist() == [20, 0, 190]
    assert found.returns[:, 0] == pytest.approx([30 * share, 10, 200])
    assert found.participation[:, objects].tolist() == [1, 1, 1]
    assert found.participation[0, 0] == pytest.approx(share) and not found.gains[1].any()
    counted = [found.groups[name] for name in places if name in KINDS]
    assert sum(counted) == found.groups["all"] == 60
    for names in (("1 option", "2 options and more"), ("least competitive third", "middle third")):
        assert set(names) <= set(places)
    suite = get_benchmark("xland/small").curve_suite()
    best = dict(zip((task.to_text() for task in suite.tasks), suite.records["best_return"]))
    shares = [200 / best[text] for text in asked[0][0][::2] if best[text] > 0]
    assert found.normalised[2, 0] == pytest.approx(np.mean(shares)) and max(shares) > 1, "uncut"
    assert f"{30 * share:.0f}/10/200" in found.key_numbers()[0].ours
    found.draw()


def test_games_are_grouped_by_options_predicates_and_competitiveness():
    (task, *_) = get_benchmark("xland/small").curve_suite().tasks[:1]
    games = (
        "hold(me,black cube)\nhold(me,black cube)",  # both, or neither: nobody holds it together, 1 option
        "near(black cube,purple sphere)\nnear(black cube,purple sphere)",
        "see(me,opponent) | near(black cube,purple sphere) & on(black cube,white floor)\n~see(opponent,me)",
    )
    groups = property_groups([replace(task, game=parse_game(game)) for game in games])
    assert groups["1 option"].tolist() == [True, True, False] and groups["2 options and more"].tolist()[2]
    assert groups["1 predicate"].tolist() == [True, True, False]
    assert groups["3 predicates and more"].tolist() == [False, False, True]
    assert groups["least competitive third"].tolist()[1] and "2 predicates" not in groups


def test_a_group_without_a_known_best_return_has_no_score():
    assert np.isnan(relative_performance._mean_of_known(np.full((3, 2), np.nan))).all()
    assert relative_performance._mean_of_known(np.array([[1.0, np.nan], [3.0, np.nan]])).tolist() == [1.0, 3.0]


def test_more_tasks_than_there_are_are_refused():
    with pytest.raises(InvalidOptionError, match="samples of figure 18 is 301, expected at most 300, the suite's"):
        measure_relative_performance(301, np.random.default_rng(0), ["random"])


@pytest.mark.slow
def test_the_figure_is_drawn_from_a_policy(run, tmp_path):
    words = ["--samples", "2", "--policy", "random", "--out", tmp_path]
    code, out, err = run("reproduce", "xland", "--figure", "18", *words)
    assert code == 0 and "normalised score" in out, err
    kept = json.loads((tmp_path / "figure-18.json").read_text())
    assert kept["policies"] == ["random"] and kept["groups"]["all"] == 2 and len(kept["returns"]) == len(PLAYERS)
    assert (tmp_path / "figure-18.png").stat().st_size > 1_000

"""Games of the evaluation are new, and even over buckets and sizes."""

from collections import Counter

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.evaluation.games import (
    BUCKETS,
    SIZES,
    bucket,
    check_evaluation_game,
    evaluation_games,
    game_like,
    size,
)
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.hold_out import is_held_out_game, no_fresh, short_hash
from procgen_bench.tasks.xland.suites import load_suite


@pytest.mark.slow
def test_buckets_and_sizes_are_even(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 4)
    taken: set[int] = set()
    games = list(evaluation_games(np.random.default_rng(0), 60, taken))
    assert Counter(map(bucket, games)) == dict.fromkeys(BUCKETS, 4)
    assert taken == {short_hash(canonical(game)) for game in games} and len(taken) == 60
    sizes = {(game.num_players, max(len(goal.matrix) for goal in game.goals)) for game in games}
    assert sizes == {(2, 1), (2, 2), (2, 3)}, "sizes take turns, and the first of 18 are of two players"
    assert len(SIZES) == 18


@pytest.mark.slow
def test_taken_games_do_not_come(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 4)
    first = list(evaluation_games(np.random.default_rng(0), 15, set()))
    again = list(evaluation_games(np.random.default_rng(0), 15, {short_hash(canonical(game)) for game in first}))
    assert {canonical(game) for game in first}.isdisjoint(map(canonical, again))


def test_another_game_is_of_the_bucket_and_size_and_in_no_suite(monkeypatch):
    rng, suite = np.random.default_rng(1), load_suite("test")
    for task in suite.tasks[::200]:
        game = game_like(rng, task.game, no_fresh())
        check_evaluation_game(game)
        assert (bucket(game), size(game)) == (bucket(task.game), size(task.game)) and size(game) in SIZES
        assert not is_held_out_game(game)
    known, new = suite.tasks[0].game, game_like(rng, suite.tasks[0].game, no_fresh())
    drawn = iter([suite.tasks[200].game, known, new])
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.generate_game", lambda *_: next(drawn))
    assert game_like(rng, known, no_fresh()) == new


def test_a_bucket_without_games_is_an_error(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 0)
    with pytest.raises(RuntimeError, match=r"the bucket \(0, 4\) of competitiveness and balance has 0 games, not 1"):
        list(evaluation_games(np.random.default_rng(0), 15, set()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("see(me,black cube)", "number of players of a game of the evaluation is 1, expected 2 or 3"),
        (
            "see(me,black cube) & see(me,purple cube) | hold(me,black cube) & hold(me,purple cube)\n"
            "see(opponent,black cube) & see(opponent,purple cube) | on(me,blue floor)",
            "number of different atoms of the game is 7, expected at most 6",
        ),
        (
            "see(me,opponent) | on(me,blue floor) | ~on(opponent,blue floor) | see(opponent,me)\nsee(me,opponent)",
            "number of options of goal 1 is 4, expected at most 3",
        ),
        (
            "see(me,opponent)\nsee(me,opponent) & on(me,blue floor) & ~on(opponent,blue floor) & see(opponent,me)",
            "predicates in an option of goal 2 is 4, expected at most 3",
        ),
        ("see(me,opponent) | ~see(me,opponent)\nsee(me,opponent)", "is 'always or never rewarded'"),
    ],
)
def test_games_that_the_evaluation_forbids(text, message):
    with pytest.raises(InvalidTaskError, match=message):
        check_evaluation_game(parse_game(text))


def test_extreme_games_are_in_the_outer_buckets():
    assert bucket(parse_game("see(opponent,me)\n~see(me,opponent)")) == (4, 0)
    assert bucket(parse_game("see(me,opponent)\nsee(opponent,me)")) == (0, 4)
    assert bucket(parse_game("see(me,opponent) | ~see(me,opponent)\nsee(opponent,me)")) is None

"""Percentiles, participation, dominance, and the intervals of summaries."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.mixtures import best_values
from procgen_bench.leaderboards.xland.normalisation import normalised_scores
from procgen_bench.leaderboards.xland.percentiles import (
    PERCENTILES,
    dominance,
    pareto_front,
    participation,
    score_percentiles,
)
from procgen_bench.leaderboards.xland.summaries import summarise_agents
from tests.leaderboards.xland.makers import POLICIES, table_of, tables

SCORES = arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 3))
#: Few values and percentiles, so that ties and dominance are frequent.
CURVES = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=st.sampled_from([0.0, 0.5, 1.0]))


def test_percentiles_are_scores_of_games():
    scores = np.random.default_rng(0).permutation(np.arange(100, dtype=np.float64))
    assert score_percentiles(scores).tolist() == [0, 0, *range(1, 50)]
    assert score_percentiles(np.array([3.0, 1.0, 2.0]), (0, 33, 34, 50, 100)).tolist() == [1, 1, 2, 2, 3]
    assert list(PERCENTILES) == list(range(51))


@given(SCORES)
def test_percentiles_agree_with_numpy_where_its_ranks_are_exact(scores):
    exact = [k for k in PERCENTILES if len(scores) * k % 100 or k in (0, 25, 50)]
    exact = [k for k in exact if k == 0 or (len(scores) * (k / 100)).is_integer() == (len(scores) * k % 100 == 0)]
    expected = np.percentile(scores, exact, method="inverted_cdf")
    assert score_percentiles(scores, exact).tolist() == expected.tolist()


def test_numpy_takes_the_next_game_where_a_rank_rounds_up():
    """The reason for integers: 7 of 100 games are at most the 7th percentile."""
    scores = np.arange(100, dtype=np.float64)
    assert np.percentile(scores, 7, method="inverted_cdf") == 7
    assert score_percentiles(scores, [7]) == 6


@given(SCORES)
def test_percentiles_grow_with_the_percentile(scores):
    curve = score_percentiles(scores)
    assert (np.diff(curve) >= 0).all()
    assert curve[0] == scores.min() and set(curve) <= set(scores)


@given(SCORES)
def test_a_percentile_above_zero_tells_the_coverage(scores):
    curve, failed = score_percentiles(scores), (scores == 0).sum()
    for k in PERCENTILES[1:]:
        assert (curve[k] > 0) == (100 * failed < k * len(scores))


@given(CURVES)
def test_dominance_is_a_strict_partial_order(curves):
    better = dominance(curves)
    agents = range(len(curves))
    assert not better.diagonal().any()
    assert not (better & better.T).any()
    assert all(better[i, k] for i, j, k in product(agents, repeat=3) if better[i, j] and better[j, k])
    for i, j in product(agents, repeat=2):
        pairs = list(zip(curves[i], curves[j]))
        assert better[i, j] == (all(a >= b for a, b in pairs) and any(a > b for a, b in pairs))


@given(CURVES)
def test_the_front_is_who_nobody_dominates(curves):
    front, better = pareto_front(curves), dominance(curves)
    assert front.any()
    for agent in np.flatnonzero(~front):
        assert better[front, agent].any()  # and a method that is not on it is beaten by one that is


def test_dominance_by_hand():
    assert dominance([[0.1, 0.5], [0.1, 0.4]]).tolist() == [[False, True], [False, False]]
    assert not dominance([[0.1, 0.5], [0.1, 0.5]]).any()
    assert not dominance([[0.0, 0.9], [0.1, 0.4]]).any()
    assert pareto_front([[0, 1], [1, 0], [0, 0], [1, 0]]).tolist() == [True, True, False, True]


@given(tables())
def test_participation_is_a_share_of_tasks(table):
    shares = participation(table)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert shares * len(table.tasks) == pytest.approx(np.count_nonzero(table.returns, axis=1))


def test_participation_counts_games_that_are_worth_nothing():
    table = table_of([[0, 0, 1, 1], [0, 9, 2, 2]], games=("x", "y"), policies=("a", "b"), co_players=("p", "q"))
    assert participation(table).tolist() == [0.5, 0.75]


def made_up_table(num_games=60, seed=3):
    rng = np.random.default_rng(seed)
    games = tuple(f"game {k}" for k in range(num_games))
    strength = np.array([0.1, 0.4, 1.0])[:, None]
    returns = rng.gamma(1.0, 200, (3, 3 * num_games)) * strength * (rng.random((3, 3 * num_games)) < strength + 0.3)
    return table_of(returns, games=games)


def test_summaries_tell_estimates_and_intervals():
    table = made_up_table()
    values = best_values(table)
    found = summarise_agents(table, values, np.random.default_rng(0), resamples=500)
    assert [summary.policy for summary in found] == list(POLICIES)
    scores = normalised_scores(table, values)
    for row, summary in enumerate(found):
        assert summary.curve.tolist() == score_percentiles(scores.scores[row]).tolist()
        assert summary.participation.value == participation(table)[row]
        uncut = [estimate.value for estimate in summary.uncut.values()]
        assert uncut == score_percentiles(scores.uncut[row]).tolist()
        assert np.minimum(uncut, 1.0).tolist() == summary.curve.tolist()
        for estimate in (*summary.percentiles.values(), *summary.uncut.values(), summary.participation):
            assert estimate.low <= estimate.value <= estimate.high
    assert found[0].participation.low < found[0].participation.high


def test_intervals_cover_the_truth():
    """The median of an exponential distribution lies in about 95 % of the intervals of its samples."""
    hits, games = 0, tuple(f"game {k}" for k in range(80))
    for seed in range(200):
        rng = np.random.default_rng(seed)
        table = table_of(rng.exponential(size=(1, 80)), games=games, policies=("a",), co_players=("p",))
        (found,) = summarise_agents(table, dict.fromkeys(games, 10.0), rng, percentiles=(50,), resamples=300)
        hits += found.percentiles[50].low <= np.log(2) / 10 <= found.percentiles[50].high
    assert 0.9 <= hits / 200 <= 0.99


def test_participation_is_resampled_by_games():
    """Tasks of a game succeed or fail together: the interval is as wide as that of the games."""
    rng = np.random.default_rng(1)
    games = tuple(f"game {k}" for k in range(100))
    of_games = (rng.random(100) < 0.5).astype(np.float64)
    one = table_of(of_games[None], games=games, policies=("a",), co_players=("p",))
    many = table_of(np.repeat(of_games, 9)[None], games=games, policies=("a",), co_players=tuple("pqrstuvwx"))
    values = dict.fromkeys(games, 1.0)
    widths = []
    for table in (one, many):
        (found,) = summarise_agents(table, values, np.random.default_rng(0))
        widths.append(found.participation.high - found.participation.low)
    assert widths[0] == pytest.approx(widths[1]) and widths[0] == pytest.approx(2 * 1.96 * 0.05, rel=0.15)


def test_same_generator_same_summaries_and_one_game_has_no_interval():
    table = made_up_table(12)
    values = best_values(table)
    first, second = (summarise_agents(table, values, np.random.default_rng(7), resamples=50) for _ in range(2))
    assert first == second
    one = table_of(np.ones((3, 3)))
    (summary, *_) = summarise_agents(one, best_values(one), np.random.default_rng(0))
    assert summary.percentiles[50].low is None and summary.participation.high is None


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda: score_percentiles(np.zeros((2, 0))), "number of games is 0, expected at least 1"),
        (lambda: score_percentiles([[0, np.nan]]), "score [0, 1] is nan, expected a finite number"),
        (lambda: score_percentiles([1.0], [101]), "percentile is 101, expected an integer from 0 to 100"),
        (lambda: score_percentiles([1.0], [0.5]), "percentile is 0.5"),
        (lambda: dominance(np.zeros(3)), "shape of the curves is (3,), expected agents x percentiles"),
        (lambda: dominance(np.zeros((2, 0))), "shape of the curves is (2, 0)"),
        (lambda: dominance(np.array([[1.0], [np.inf]])), "value 0 of curve 1 is inf"),
        (lambda: pareto_front(np.zeros((0, 3))), "shape of the curves is (0, 3)"),
    ],
)
def test_bad_input_is_named(fault, message):
    with pytest.raises(InvalidReturnsError) as caught:
        fault()
    assert message in str(caught.value)

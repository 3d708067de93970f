"""Ranks: a total preorder in which no row of few runs stands above one of many whose interval holds its score."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.leaderboards.board.ranking import Contender, ranks
from procgen_bench.leaderboards.statistics.estimates import Estimate

SCORES = st.integers(0, 12).map(lambda score: score / 12)


@st.composite
def contenders(draw) -> Contender:
    score, num_runs = draw(SCORES), draw(st.sampled_from([1, 3, 4, 5, 10]))
    if num_runs < 5 or draw(st.booleans()):  # runs that are all alike have no interval, either
        return Contender(Estimate(score), num_runs)
    low, high = draw(st.tuples(SCORES, SCORES))
    return Contender(Estimate(score, min(low, score), max(high, score)), num_runs)


def few(score: float) -> Contender:
    return Contender(Estimate(score), 1)


def many(score: float, low: float, high: float) -> Contender:
    return Contender(Estimate(score, low, high), 5)


@given(st.lists(contenders(), max_size=8), st.sampled_from([0.0, 1e-11, 0.1]))
def test_no_row_of_few_runs_ranks_above_one_whose_interval_holds_its_score(rows, difference):
    given_ranks = ranks(rows, difference)
    for (row, rank), (other, other_rank) in itertools.permutations(zip(rows, given_ranks), 2):
        if row.num_runs < 5 <= other.num_runs and other.score.interval is not None:
            low, high = other.score.interval
            assert not (low <= row.score.value <= high and rank < other_rank)


@given(st.lists(contenders(), min_size=1, max_size=8), st.randoms())
def test_ranks_are_a_total_preorder_whatever_order_rows_are_given_in(rows, random):
    """Ranks are numbers, so that any two rows compare and that is transitive; each says how many stand before it."""
    given_ranks = ranks(rows, 0.0)
    assert all(rank == 1 + sum(other < rank for other in given_ranks) for rank in given_ranks)
    order = random.sample(range(len(rows)), len(rows))
    assert ranks([rows[place] for place in order], 0.0) == [given_ranks[place] for place in order]


@given(st.lists(contenders(), max_size=8))
def test_of_as_many_runs_the_better_score_never_ranks_below(rows):
    for (row, rank), (other, other_rank) in itertools.permutations(zip(rows, ranks(rows, 0.0)), 2):
        if (row.num_runs < 5) == (other.num_runs < 5) and row.score.value > other.score.value:
            assert rank <= other_rank


def test_few_runs_stand_beside_the_row_whose_interval_holds_their_score():
    assert ranks([few(0.97), many(0.9, 0.8, 0.98), few(0.85), few(0.99)], 0.0) == [2, 2, 4, 1]


def test_of_several_intervals_that_hold_a_score_the_lowest_row_counts():
    assert ranks([few(0.95), many(0.9, 0.8, 0.97), many(0.5, 0.1, 0.96)], 0.0) == [2, 1, 2]

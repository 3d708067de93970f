"""Ranks: a total preorder by score, in which rows share the rank of a leader that they cannot be told apart from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.leaderboards.board import ranking
from procgen_bench.leaderboards.board.ranking import Contender, Rank, are_indistinguishable, ranks

#: Few levels, so that scores tie.
SCORES = st.integers(0, 6).map(lambda score: score / 6)


def contender(name: str, fresh, suite=None) -> Contender:
    """One whose runs score this on fresh episodes, and on the suite's two tasks the same unless it is given."""
    runs = np.asarray(fresh, np.float64)
    return Contender(name, float(runs.mean()), np.tile(np.asarray(runs if suite is None else suite)[:, None], 2), runs)


@st.composite
def boards(draw) -> list[Contender]:
    """Up to six contenders of three to five runs, whose scores on the suite and on fresh episodes may differ."""
    found = []
    for name in range(draw(st.integers(0, 6))):
        size = draw(st.integers(3, 5))
        fresh, suite = (draw(st.lists(SCORES, min_size=size, max_size=size)) for _ in range(2))
        found.append(contender(str(name), fresh, suite))
    return found


def faults(rule, board: list[Contender], order: list[int]) -> list[str]:
    """What a rule of ranks has wrong on a board, and on the same board in another order."""
    found = dict(zip((one.name for one in board), rule(board, 0.0)))
    reordered = [board[place] for place in order]
    by_name, wrong = {one.name: one for one in board}, []
    if dict(zip((one.name for one in reordered), rule(reordered, 0.0))) != found:
        wrong.append("depends on the order")
    for name, one in found.items():
        leader = by_name[one.leader]
        if one.rank != 1 + sum(other.rank < one.rank for other in found.values()):
            wrong.append("no number of those before")
        if found[one.leader] != one or leader.score < by_name[name].score:
            wrong.append("leader is not the first of the rank")
        if name != one.leader and not are_indistinguishable(leader, by_name[name], 0.0):
            wrong.append("shares a rank though it can be told apart")
        for other, another in found.items():
            if by_name[name].score > by_name[other].score and one.rank > another.rank:
                wrong.append("below a worse score")
            leads = other == another.leader and another.rank == max(
                (two.rank for two in found.values() if two.rank < one.rank), default=0
            )
            if name == one.leader and leads and are_indistinguishable(by_name[other], by_name[name], 0.0):
                wrong.append("stands apart though it cannot be told apart")
    return wrong


@given(boards(), st.randoms())
def test_ranks_are_a_total_preorder_whatever_order_rows_are_given_in(board, random):
    assert faults(ranks, board, random.sample(range(len(board)), len(board))) == []


def as_given(board, tolerance):
    """Sabotage: of equal scores, the one that is given first leads."""
    renamed = [replace(one, name=f"{place:02}") for place, one in enumerate(board)]
    names = dict(zip((one.name for one in renamed), (one.name for one in board)))
    return [Rank(one.rank, names[one.leader]) for one in ranks(renamed, tolerance)]


def by_score_alone(board, tolerance):
    """Sabotage: whoever differs has another rank."""
    best = sorted(board, key=lambda one: (-one.score, one.name))
    first = {one.score: one.name for one in reversed(best)}
    return [Rank(1 + sum(other.score > one.score for other in board), first[one.score]) for one in board]


def by_chains(board, tolerance):
    """Sabotage: each row is compared with the one before it, not with the first of the rank."""
    found: dict[str, Rank] = {}
    best = sorted(board, key=lambda one: (-one.score, one.name))
    for place, one in enumerate(best, 1):
        before = best[place - 2] if place > 1 else None
        shares = before is not None and are_indistinguishable(before, one, tolerance)
        found[one.name] = found[before.name] if shares else Rank(place, one.name)
    return [found[one.name] for one in board]


CHAIN = [contender("a", [0.9, 0.9, 0.9]), contender("b", [0.9, 0.7, 0.8]), contender("c", [0.8, 0.75, 0.7])]
TIES = [contender("b", [1.0, 0.0, 0.5]), contender("a", [0.5, 0.5, 0.5]), contender("c", [0.5, 0.4, 0.3])]


@pytest.mark.parametrize(
    ("rule", "board", "fault"),
    [
        (as_given, TIES, "depends on the order"),
        (by_score_alone, CHAIN, "stands apart though it cannot be told apart"),
        (by_chains, CHAIN, "shares a rank though it can be told apart"),
    ],
)
def test_a_rule_that_is_sabotaged_is_found_out(rule, board, fault):
    order = list(reversed(range(len(board))))
    assert fault in faults(rule, board, order) and faults(ranks, board, order) == []


def test_a_row_shares_the_rank_of_a_leader_that_it_cannot_be_told_apart_from():
    assert ranks(CHAIN, 0.0) == [Rank(1, "a"), Rank(1, "a"), Rank(3, "c")]


def test_a_lucky_row_of_few_runs_stands_beside_one_of_many():
    """As before where its score lies in the other's interval: the two cannot be told apart."""
    many = contender("many", np.linspace(0.8, 1.0, 20))
    lucky = contender("lucky", [0.97, 0.92, 0.95])
    assert [one.rank for one in ranks([many, lucky], 0.0)] == [1, 1]


FITTED = contender("fitted", [0.2, 0.25, 0.3], suite=[0.9, 0.92, 0.91])
HONEST = contender("honest", [0.9, 0.91, 0.92])


def test_a_row_that_is_fitted_to_the_suite_does_not_stand_beside_one_that_is_not(monkeypatch):
    assert [one.rank for one in ranks([FITTED, HONEST], 0.0)] == [2, 1]

    def on_the_suite_alone(leader, other, tolerance):
        return ranking.holds_zero(ranking.difference(leader.suite, other.suite, np.random.default_rng(0)), tolerance)

    monkeypatch.setattr(ranking, "are_indistinguishable", on_the_suite_alone)
    assert [one.rank for one in ranks([FITTED, HONEST], 0.0)] == [1, 1], "which is why fresh episodes are compared, too"


def test_the_suite_tells_apart_where_fresh_episodes_are_too_few_to():
    """Both played the same tasks there."""
    better, worse = contender("a", [0.9, 0.5, 0.7], suite=[0.7] * 3), contender("b", [0.8, 0.4, 0.6], suite=[0.6] * 3)
    assert ranks([better, worse], 0.0) == [Rank(1, "a"), Rank(2, "b")]


def test_a_tolerance_is_between_the_leader_and_those_that_share_its_rank():
    rows = [contender(name, [score] * 3) for name, score in (("a", 0.9), ("b", 0.82), ("c", 0.74))]
    assert [one.rank for one in ranks(rows, 0.1)] == [1, 1, 3]
    assert [one.rank for one in ranks(rows, 0.0)] == [1, 2, 3]

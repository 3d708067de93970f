"""The table: what ranks, why other rows do not, and rows that are folded since they play what another row does."""

import dataclasses

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.known_runs import add_known_runs
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_archive, read_table, table_of
from procgen_bench.leaderboards.statistics.estimates import summarise
from procgen_bench.leaderboards.submission.folder import read_submission
from tests.leaderboards.entries import entry

#: Above the best possible, by rounding alone.
ROUNDED = 0.9820000000000001


def played(name, *fresh, suite=0.5, **options):
    """An entry whose policies scored this on fresh episodes, a run each, and ``suite`` on the suite."""
    return entry(name, *((f"{name}{run}", suite) for run in range(len(fresh))), fresh=fresh, **options)


def shown(rows) -> list[tuple[int | None, str, str | None]]:
    """(rank, name, name of the row that it is folded under)."""
    return [(row.rank, row.entry.name, row.folded_under and row.folded_under.name) for row in rows]


def badges_of(rows) -> dict[str, str | None]:
    return {row.entry.name: row.badge for row in rows}


def test_the_fresh_score_ranks_whatever_was_recorded_on_the_suite(target):
    forged = entry("forged", *((f"a{run}", 0.982) for run in range(3)), fresh=[0.2] * 3)
    honest = entry("honest", *((f"b{run}", 0.3) for run in range(3)), fresh=[0.3] * 3)
    assert shown(table_of(target, [forged, honest])) == [(1, "honest", None), (2, "forged", None)]


def test_rows_without_a_rank_stand_below_by_their_reason(target, tmp_path):
    add_known_runs([(f"train this --seed {seed}", seed) for seed in range(3)], tmp_path)
    rows = table_of(
        target,
        [
            entry("replayed", ("a", 0.9), board=tmp_path),
            entry("better-replayed", ("b", 0.95), board=tmp_path),
            entry("oracle", ("c", 0.982), oracle=True, board=tmp_path),
            played("gap", 0.9, 0.9, seeds=[0, 2], board=tmp_path),
            played("one-of-three", 0.9, training="train this --seed {seed}", board=tmp_path),
            played("all", 0.1, 0.2, 0.3, training="train this --seed {seed}", board=tmp_path),
            played("single", 0.9, board=tmp_path),
            played("pair", 0.9, 0.8, board=tmp_path),
            played("twin-seeds", 0.9, 0.9, seeds=[0, 0], board=tmp_path),
        ],
    )
    assert list(badges_of(rows).items()) == [
        ("all", None),
        ("pair", "2 runs"),
        ("single", "1 run"),
        ("better-replayed", "no policy"),
        ("replayed", "no policy"),
        ("gap", "seed 1 missing"),
        ("one-of-three", "selected runs"),
        ("twin-seeds", "selected runs"),
        ("oracle", "oracle"),
    ]
    assert [row.rank for row in rows] == [1] + [None] * 8
    assert [row.is_reference for row in rows] == [False] * 8 + [True]
    assert all(reason.explanation.endswith(".") for reason in Unranked)


@pytest.mark.parametrize(
    ("benchmark_id", "badges"),
    [
        (
            "gminiwob/literal",
            {"site-matcher": "scripted", "site-random": "floor", "random": "floor", "solver": "oracle"},
        ),
        ("xland/hand-authored", {"noop": "floor", "random": "floor", "null": "floor", "xland-scripted": "oracle"}),
        ("ant-maze/test", {"constant": "floor", "ant-expert": "oracle", "sibling-rivalry": "seed 0 missing"}),
        ("grid-world/target-c", {"dqn-under-uniform": "selected runs", "dqn-under-apt-gen": None}),
    ],
)
def test_floors_scripted_players_and_selected_runs_of_the_published_board_have_a_badge(benchmark_id, badges):
    rows = read_table(BENCHMARKS[benchmark_id], published_board())
    found = badges_of(rows)
    assert {name: found[name] for name in badges} == badges
    assert all((row.rank is None) == (row.unranked is not None) for row in rows)


@pytest.mark.parametrize(
    ("benchmark_id", "is_known"),
    [
        ("point-maze/u-4", True),
        ("point-maze/test", False),  # one episode a task
        ("xland/hand-authored", False),  # five, whose returns the records do not hold
        ("table-push/target-c", False),  # a single task
    ],
)
def test_the_worst_tenth_is_shown_where_episodes_are_known(benchmark_id, is_known):
    rows = read_table(BENCHMARKS[benchmark_id], published_board())
    assert rows and all((row.worst_tenth is not None) is is_known for row in rows)
    known = {row.entry.name: row.worst_tenth.value for row in rows if row.worst_tenth is not None}
    assert not is_known or (known["solver"], known["constant"]) == pytest.approx((1.0, 0.0))


def test_a_floor_under_another_name_is_one(play, target, tmp_path):
    submit(play(target, "random", method="My method"), tmp_path)
    (row,) = read_table(target, tmp_path)
    assert row.unranked is Unranked.FLOOR and row.rank is None


def test_scores_that_differ_by_rounding_share_a_rank(target):
    scores = {"b": 0.5, "a": 0.5 + 1e-14, "c": 0.5 - 1e-6}
    rows = table_of(target, [played(name, *[score] * 3, suite=score) for name, score in scores.items()])
    assert [(row.rank, row.entry.name) for row in rows] == [(1, "a"), (1, "b"), (3, "c")]
    rows = table_of(target, [entry("b", ("b", ROUNDED)), entry("a", *((f"a{run}", 0.982) for run in range(3)))])
    assert [row.score for row in rows] == [target.maximum] * 2  # none stands above the best possible
    assert all(row.summary.median.value <= target.maximum for row in rows)
    assert all(row.summary.optimality_gap.value >= 0 for row in rows)


def test_a_chain_of_near_scores_is_no_tie_of_its_ends(target):
    """The benchmark's tolerance is between the first of a rank and those that share it."""
    lenient = dataclasses.replace(target, tolerance=0.1)
    scores = {"a": 0.9, "b": 0.82, "c": 0.74}
    rows = table_of(lenient, [played(name, *[score] * 3, suite=score) for name, score in scores.items()])
    assert [row.rank for row in rows] == [1, 1, 3]


def test_a_row_that_cannot_be_told_apart_from_the_first_of_a_rank_names_it(target):
    few, many = (0.95, 0.8, 0.85), (0.9, 0.5, 0.9, 0.6, 0.7)
    rows = table_of(target, [played("last", *[-0.1] * 3), played("many", *many), played("few", *few)])
    assert [(row.rank, row.entry.name) for row in rows] == [(1, "few"), (1, "many"), (3, "last")]
    assert [row.indistinct_from and row.indistinct_from.name for row in rows] == [None, "few", None]


@pytest.mark.parametrize(("num_runs", "shown"), [(1, False), (2, False), (3, True)])
def test_below_three_runs_a_learner_has_a_mean_alone(num_runs, shown, target):
    (row,) = table_of(target, [played("learner", *[0.9] * num_runs)])
    found = (row.interquartile_mean, row.median, row.optimality_gap)
    assert [one is not None for one in found] == [shown] * 3 and row.score == 0.5 and row.fresh.value == 0.9
    (oracle,) = table_of(target, [entry("solver", ("a", 0.982), oracle=True)])
    assert oracle.median.value == 0.982, "a scripted player does not vary by a training"


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ((1, 2), "seed 0 missing"),
        ((0, 3), "seeds 1 to 2 missing"),
        ((1, 3, 5), "seeds 0, 2, 4 missing"),
        ((2, 4, 6, 2**32 - 1), "seeds 0 to 1, 3, 5 and others missing"),
    ],
)
def test_a_gap_in_the_seeds_is_named(seeds, said, target):
    (row,) = table_of(target, [played("gap", *[0.5] * len(seeds), seeds=seeds)])
    assert row.badge == said and row.rank is None


def test_a_copy_stands_under_the_row_that_was_there_before(target):
    original = entry("z", ("x", 0.9), ("y", 0.7), on="2026-01-01")
    rows = table_of(
        target,
        [
            entry("copy", ("x", 0.9), ("y", 0.7), on="2026-01-02"),
            original,
            entry("the-best-of-it", ("x", 0.9), on="2026-01-03"),
            entry("other", ("w", 0.6)),
        ],
    )
    assert shown(rows) == [(None, "z", None), (None, "copy", "z"), (None, "the-best-of-it", "z"), (None, "other", None)]
    assert rows[1].folded_under is original


def test_a_row_whose_policy_was_played_again_stands_for_itself(target):
    """However late it comes: its actions are proven to be its policy's, those of the other are not."""
    proven = entry("proven", *((name, 0.9) for name in "xyz"), fresh=[0.9] * 3, on="2026-09-09")
    rows = table_of(target, [entry("early", ("x", 0.9)), proven])
    assert shown(rows) == [(1, "proven", None), (None, "early", "proven")]
    both = [entry(name, *[("x", 0.9)] * 3, fresh=[0.9] * 3) for name in ("one", "two")]
    assert shown(table_of(target, both)) == [(1, "one", None), (1, "two", None)]


def test_a_copied_solver_stands_under_the_oracle(target):
    rows = table_of(
        target,
        [entry("learned", ("s", 0.982), on="2025-01-01"), entry("oracle", ("s", 0.982), oracle=True, on="2026-01-01")],
    )
    assert shown(rows) == [(None, "oracle", None), (None, "learned", "oracle")]


def test_runs_from_several_rows_are_copies_and_stand_under_the_one_of_most(target):
    rows = table_of(
        target,
        [
            entry("one", ("a", 0.9), ("b", 0.1)),
            entry("two", ("c", 0.9), ("d", 0.8)),
            entry("patched", ("d", 0.8), ("a", 0.9), ("c", 0.9), on="2026-01-02"),
        ],
    )
    assert shown(rows) == [(None, "two", None), (None, "patched", "two"), (None, "one", None)]


def test_one_run_of_its_own_is_enough_to_stand(target):
    """Two honest perfect policies can play the same in one run of several."""
    rows = table_of(target, [entry("one", ("a", 0.9)), entry("two", ("a", 0.9), ("b", 0.5), on="2026-01-02")])
    assert shown(rows) == [(None, "one", None), (None, "two", None)]
    assert rows[1].score == pytest.approx(0.7) and rows[1].counted_runs == (0, 1)


def test_runs_that_play_the_same_count_once(target):
    """Or five copies of the best run would be five runs, with an interval."""
    repeated = [("a", 0.9), ("b", 0.5), ("a", 0.9), ("a", 0.9), ("b", 0.5)]
    (row,) = table_of(target, [entry("repeated", *repeated)])
    assert row.counted_runs == (0, 1) and row.scores.tolist() == [[0.9], [0.5]]
    assert row.score == pytest.approx(0.7) and row.summary.mean.interval is None
    (row,) = table_of(target, [entry("repeated", *repeated, fresh=[0.9] * 5)])
    assert row.counted_runs == (0, 1, 2, 3, 4)
    assert row.score == pytest.approx(0.74) and row.summary.mean.interval is not None


def test_statistics_are_those_of_the_counted_runs_within_the_benchmarks_range(target):
    runs = [("a", 0.9), ("b", 0.5), ("c", 0.1), ("d", -0.3), ("e", 0.982), ("a", 0.9)]
    (row,) = table_of(target, [entry("method", *runs)])
    scores = np.array([[score] for _, score in runs[:5]])
    assert row.summary == summarise(scores, target.maximum, np.random.default_rng(0), target.minimum)
    assert target.minimum <= row.summary.mean.low < row.summary.mean.high <= target.maximum


def test_copied_actions_fold_on_a_real_board(play, target, renamed, written, tmp_path):
    """The solver's actions under other policies' hashes: other seeds, the same traces."""
    solved = read_submission(play(target, "solver"))
    submit(play(target, "solver"), tmp_path)
    submit(play(target, "constant", num_runs=2), tmp_path)
    submit(play(target, "random", num_runs=2), tmp_path)
    for number in (1, 2):
        submit(written(renamed(solved, number)), tmp_path)
    rows = read_table(target, tmp_path)
    assert shown(rows) == [
        (None, "solver", None),
        (None, "method-1", "solver"),
        (None, "method-2", "solver"),
        (None, "constant", None),
        (None, "random", None),
    ]
    assert [len(row.counted_runs) for row in rows] == [1, 1, 1, 1, 2]
    assert all(row.entry.record.score == pytest.approx(row.score) for row in rows)


def test_earlier_versions_are_read_apart(random_folder, play, target, tmp_path, monkeypatch):
    submit(random_folder, tmp_path)
    raised = dataclasses.replace(target, version=2, maximum=2.0)
    monkeypatch.setitem(BENCHMARKS, target.id, raised)
    submit(play(raised, "constant"), tmp_path)
    assert shown(read_table(raised, tmp_path)) == [(None, "constant", None)]
    archive = read_archive(raised, tmp_path)
    assert list(archive) == [1] and shown(archive[1]) == [(None, "random", None)]
    (old,) = archive[1]
    assert old.summary.optimality_gap is None and old.score == pytest.approx(old.entry.record.score)
    assert read_archive(target, tmp_path) == {}


def test_archived_rows_fold_and_rank_among_themselves(target):
    rows = table_of(
        dataclasses.replace(target, version=3),
        [
            *(entry(name, ("x", 0.4), benchmark=(target.id, 2)) for name in "ba"),
            *(
                played(name, *[score] * 3, suite=score, benchmark=(target.id, 2))
                for name, score in (("d", 4.0), ("c", 5.0))
            ),
        ],
    )
    assert shown(rows) == [(1, "c", None), (2, "d", None), (None, "a", None), (None, "b", "a")]

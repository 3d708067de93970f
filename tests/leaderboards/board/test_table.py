"""The table: ranks, ties, and rows that are folded since they play what another row does."""

import dataclasses
import hashlib
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.record import VerifiedRecord
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_archive, read_table, table_of
from procgen_bench.leaderboards.statistics.estimates import summarise
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, Metadata, Run

#: Above the best possible, by rounding alone.
ROUNDED = 0.9820000000000001


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def made(target):
    """made(name, *runs, ...) -> an entry of runs ("actions", score), which play alike where they are called alike."""

    def of(name, *runs, tier="replayed", oracle=False, on="2026-01-01", version=target.version) -> Entry:
        scores = [score for _, score in runs]
        metadata = Metadata(
            format_version=FORMAT_VERSION,
            method=name,
            authors="Tests",
            link=None,
            benchmark=target.id,
            benchmark_version=version,
            oracle=oracle,
            training_steps=0,
            runs=[Run(training_seed=0, policy_hash=digest(f"{name}|{run}")) for run in range(len(runs))],
            policies=tier == "re-run",
            claimed_score=float(np.mean(scores)),
            package_versions={"package": "1"},
            command="pytest",
            commit=None,
            hardware="none",
            wall_time_seconds=0.0,
            notes="",
        )
        record = VerifiedRecord(
            tier=tier,
            score=float(np.mean(scores)),
            scores=[[score] for score in scores],
            unfinished_episodes=0,
            submission=digest(name),
            traces=digest(f"traces of {name}"),
            run_actions=[digest(actions) for actions, _ in runs],
            package_versions={"package": "1"},
            submitted_on=on,
            verifier="0" * 64,
        )
        return Entry(Path(name), metadata, record, Path("board"))

    return of


def shown(rows) -> list[tuple[int | None, str, str | None]]:
    """(rank, name, name of the row that it is folded under)."""
    return [(row.rank, row.entry.name, row.folded_under and row.folded_under.name) for row in rows]


def test_tiers_rank_first_and_oracles_do_not_rank(made, target):
    rows = table_of(
        target,
        [
            made("good", ("a", 0.8)),
            made("played", ("b", 0.1), tier="re-run"),
            made("told", ("c", 0.982), oracle=True),
            made("better", ("d", 0.9)),
        ],
    )
    assert shown(rows) == [(1, "played", None), (None, "told", None), (2, "better", None), (3, "good", None)]
    assert [row.score for row in rows] == [0.1, 0.982, 0.9, 0.8]


def test_scores_that_differ_by_rounding_share_a_rank(made, target):
    rows = table_of(
        target,
        [
            made("b", *((f"b{run}", 0.982) for run in range(3))),
            made("a", ("a", ROUNDED)),
            made("c", ("c", 0.982 - 1e-6)),
            made("e", ("e", 0.5), tier="re-run"),
            made("d", ("d", 0.5 + 1e-14), tier="re-run"),
        ],
    )
    assert [(row.rank, row.entry.name) for row in rows] == [(1, "d"), (1, "e"), (3, "a"), (3, "b"), (5, "c")]
    assert [row.score for row in rows[2:4]] == [target.maximum] * 2  # none stands above the best possible
    assert all(row.summary.median.value <= target.maximum for row in rows)
    assert all(row.summary.optimality_gap.value >= 0 for row in rows)


def test_a_chain_of_near_scores_is_no_tie_of_its_ends(made, target):
    """The benchmark's tolerance is between the first of a rank and whoever shares it."""
    lenient = dataclasses.replace(target, tolerance=0.1)
    rows = table_of(lenient, [made(name, (name, score)) for name, score in (("a", 0.9), ("b", 0.82), ("c", 0.74))])
    assert [row.rank for row in rows] == [1, 1, 3]


def test_a_copy_stands_under_the_row_that_was_there_before(made, target):
    original = made("z", ("x", 0.9), ("y", 0.7), on="2026-01-01")
    rows = table_of(
        target,
        [
            made("copy", ("x", 0.9), ("y", 0.7), on="2026-01-02"),
            original,
            made("the-best-of-it", ("x", 0.9), on="2026-01-03"),
            made("other", ("w", 0.6)),
        ],
    )
    assert shown(rows) == [(1, "z", None), (None, "copy", "z"), (None, "the-best-of-it", "z"), (2, "other", None)]
    assert rows[1].folded_under is original


def test_a_row_whose_policy_was_played_again_stands_for_itself(made, target):
    """However late it comes: its actions are proven to be its policy's, those of the other are not."""
    rows = table_of(target, [made("early", ("x", 0.9)), made("proven", ("x", 0.9), tier="re-run", on="2026-09-09")])
    assert shown(rows) == [(1, "proven", None), (None, "early", "proven")]
    both = [made(name, ("x", 0.9), tier="re-run") for name in ("one", "two")]
    assert shown(table_of(target, both)) == [(1, "one", None), (1, "two", None)]


def test_a_copied_solver_stands_under_the_oracle(made, target):
    rows = table_of(
        target,
        [made("learned", ("s", 0.982), on="2025-01-01"), made("told", ("s", 0.982), oracle=True, on="2026-01-01")],
    )
    assert shown(rows) == [(None, "told", None), (None, "learned", "told")]


def test_runs_from_several_rows_are_copies_and_stand_under_the_one_of_most(made, target):
    rows = table_of(
        target,
        [
            made("one", ("a", 0.9), ("b", 0.1)),
            made("two", ("c", 0.9), ("d", 0.8)),
            made("patched", ("d", 0.8), ("a", 0.9), ("c", 0.9), on="2026-01-02"),
        ],
    )
    assert shown(rows) == [(1, "two", None), (None, "patched", "two"), (2, "one", None)]


def test_one_run_of_its_own_is_enough_to_stand(made, target):
    """Two honest perfect policies can play the same in one run of several."""
    rows = table_of(target, [made("one", ("a", 0.9)), made("two", ("a", 0.9), ("b", 0.5), on="2026-01-02")])
    assert shown(rows) == [(1, "one", None), (2, "two", None)]
    assert rows[1].score == pytest.approx(0.7) and rows[1].counted_runs == (0, 1)


def test_runs_that_play_the_same_count_once(made, target):
    """Or five copies of the best run would be five runs, with an interval."""
    repeated = [("a", 0.9), ("b", 0.5), ("a", 0.9), ("a", 0.9), ("b", 0.5)]
    (row,) = table_of(target, [made("repeated", *repeated)])
    assert row.counted_runs == (0, 1) and row.scores.tolist() == [[0.9], [0.5]]
    assert row.score == pytest.approx(0.7) and row.summary.mean.interval is None
    (row,) = table_of(target, [made("repeated", *repeated, tier="re-run")])
    assert row.counted_runs == (0, 1, 2, 3, 4)
    assert row.score == pytest.approx(0.74) and row.summary.mean.interval is not None


def test_statistics_are_those_of_the_counted_runs_within_the_benchmarks_range(made, target):
    runs = [("a", 0.9), ("b", 0.5), ("c", 0.1), ("d", -0.3), ("e", 0.982), ("a", 0.9)]
    (row,) = table_of(target, [made("method", *runs)])
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
        (1, "constant", None),
        (2, "random", None),
    ]
    assert [len(row.counted_runs) for row in rows] == [1, 1, 1, 1, 2]
    assert all(row.entry.record.score == pytest.approx(row.score) for row in rows)


def test_earlier_versions_are_read_apart(random_folder, play, target, tmp_path, monkeypatch):
    submit(random_folder, tmp_path)
    raised = dataclasses.replace(target, version=2, maximum=2.0)
    monkeypatch.setitem(BENCHMARKS, target.id, raised)
    submit(play(raised, "constant"), tmp_path)
    assert shown(read_table(raised, tmp_path)) == [(1, "constant", None)]
    archive = read_archive(raised, tmp_path)
    assert list(archive) == [1] and shown(archive[1]) == [(1, "random", None)]
    (old,) = archive[1]
    assert old.summary.optimality_gap is None and old.score == pytest.approx(old.entry.record.score)
    assert read_archive(target, tmp_path) == {}


def test_archived_rows_fold_and_rank_among_themselves(made, target):
    rows = table_of(
        dataclasses.replace(target, version=3),
        [made("b", ("x", 0.4), version=2), made("a", ("x", 0.4), version=2), made("c", ("y", 5.0), version=2)],
    )
    assert shown(rows) == [(1, "c", None), (2, "a", None), (None, "b", "a")]

"""How rows stand: by percentiles of normalised scores, under a version that no row changes."""

import dataclasses

import numpy as np
import pytest

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.xland.normalisers import frozen
from procgen_bench.leaderboards.xland.standing import Standing, recorded_standing, standing_of
from tests.leaderboards.few_benchmarks import only_benchmarks
from tests.leaderboards.xland.boards import write_entry, xland_benchmark
from tests.leaderboards.xland.makers import publish, table_of

#: Games of one world and co-player.
GAMES = tuple(f"game {place}" for place in range(10))


@pytest.fixture
def of_ten(tmp_path, monkeypatch):
    """Ten hand-authored tasks as ten games; players get 100 in each under version 1, up to 200 under version 2."""
    names = xland_benchmark("made", "hand_authored", None).task_suite().task_names[:10]
    of_ten = dataclasses.replace(xland_benchmark("made", "hand_authored", tuple(names)), normaliser=1)
    tables = (np.full((1, 10), 100.0), np.linspace(100, 200, 10)[None])
    publish(
        tmp_path / "normalisers",
        monkeypatch,
        *(
            frozen(of_ten.id, version, table_of(returns, GAMES, policies=("player",), co_players=("nobody",)))
            for version, returns in enumerate(tables, 1)
        ),
    )
    with only_benchmarks(of_ten):
        yield of_ten


def standing(*values):
    *percentiles, participation = map(Estimate, values)
    return Standing(1, dict(zip((10, 20, 50), percentiles)), participation, np.array([values]))


def test_lower_percentiles_decide_first_then_participation():
    ordered = [
        standing(0.2, 0.2, 0.2, 0.9),
        standing(0.1, 0.3, 0.3, 0.9),
        standing(0.1, 0.2, 0.9, 1.0),
        standing(0.1, 0.2, 0.8, 1.0),
        standing(0.1, 0.2, 0.8, 0.9),
    ]
    assert [one.order for one in ordered] == sorted((one.order for one in ordered), reverse=True)
    assert standing(0.1 + 0.2, 1, 1, 1).order == standing(0.3, 1, 1, 1).order  # rounding is no difference


def test_standings_by_hand(of_ten):
    """Normalised scores 0, 0.1 ... 0.9 in the first run, all 1 (clipped) in the second."""
    scores = np.array([np.arange(10) * 10.0, np.full(10, 400.0)])
    found = standing_of(of_ten.id, 1, scores, np.random.default_rng(0))
    assert found.runs.tolist() == [[0.0, 0.1, 0.4, 0.9], [1.0, 1.0, 1.0, 1.0]]
    assert [estimate.value for estimate in found.percentiles.values()] == [0.5, 0.55, 0.7]
    assert found.participation.value == 0.95 and found.normaliser == 1


def test_fresh_episodes_rank_and_other_rows_are_listed_by_their_standing(of_ten, tmp_path):
    """Standings are computed from recorded actions, which prove nothing of a policy."""
    for oracle in (False, True):
        mark = "-oracle" if oracle else ""
        write_entry(tmp_path / "board", of_ten, f"even{mark}", np.full((3, 10), 30), oracle, fresh=[9.0] * 3)
        write_entry(tmp_path / "board", of_ten, f"expert{mark}", [[0] * 6 + [900] * 4] * 3, oracle, fresh=[7.0] * 3)
    rows = read_table(of_ten, tmp_path / "board")
    assert [(row.rank, row.entry.name) for row in rows] == [
        (1, "even"),
        (2, "expert"),
        (None, "even-oracle"),
        (None, "expert-oracle"),
    ]
    assert rows[3].score > rows[2].score and rows[2].standing.order > rows[3].standing.order


def test_a_new_row_changes_no_other(of_ten, tmp_path):
    write_entry(tmp_path / "board", of_ten, "first", [np.arange(10) * 10])
    (before,) = read_table(of_ten, tmp_path / "board")
    write_entry(tmp_path / "board", of_ten, "much better", np.full((1, 10), 900))
    after = next(row for row in read_table(of_ten, tmp_path / "board") if row.entry.name == "first")
    assert before.standing.order == after.standing.order == (0.0, 0.1, 0.4, 0.9)


def test_old_rows_give_the_same_under_their_recorded_version(of_ten, tmp_path):
    scores = np.array([np.arange(10) * 10.0])
    recorded = recorded_standing(of_ten.id, 1, scores)
    write_entry(tmp_path / "board", of_ten, "old", scores, normalised=recorded)
    raised = dataclasses.replace(of_ten, normaliser=2)
    (row,) = read_table(raised, tmp_path / "board")
    assert row.standing.normaliser == 2 and row.standing.order < (0.0, 0.1, 0.4, 0.9)
    (entry,) = read_entries(raised, tmp_path / "board")
    assert entry.record.normalised == recorded
    again = dataclasses.replace(raised, normaliser=entry.record.normalised.normaliser)
    (row,) = read_table(again, tmp_path / "board")
    assert [[*row] for row in row.standing.runs[:, :-1].tolist()] == recorded.percentiles
    assert row.standing.runs[:, -1].tolist() == recorded.participation


def test_a_version_that_is_not_there_is_one_line(of_ten, tmp_path):
    write_entry(tmp_path / "board", of_ten, "a", np.ones((1, 10)))
    with pytest.raises(UnknownNameError) as caught:
        read_table(dataclasses.replace(of_ten, normaliser=3), tmp_path / "board")
    assert str(caught.value) == "unknown normaliser of xland/made 3; known: 1, 2"

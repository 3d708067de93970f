"""Normalisers: what is frozen is what is read, under a version and a checksum."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.suite_file import CorruptSuiteError
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.xland import normalisers
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import benchmark_tasks
from procgen_bench.leaderboards.xland.mixtures import best_values
from procgen_bench.leaderboards.xland.normaliser_making import app, made_normaliser
from procgen_bench.leaderboards.xland.normalisers import (
    PUBLISHED,
    frozen,
    load_normaliser,
    published_versions,
    write_normaliser,
)
from tests.leaderboards.few_benchmarks import only_benchmarks
from tests.leaderboards.xland.makers import publish, table_of, tables


@settings(max_examples=20, deadline=None)
@given(tables())
def test_what_is_frozen_is_what_is_read(tmp_path_factory, table):
    made = frozen("xland/made", 3, table)
    with pytest.MonkeyPatch.context() as patch:
        publish(tmp_path_factory.mktemp("normalisers"), patch, made)
        found = load_normaliser("xland/made", 3)
    assert found.table.policies == table.policies and found.table.tasks == table.tasks
    assert (found.table.returns == table.returns).all() and found.values == made.values == best_values(table)
    assert found.checksum == made.checksum


def test_games_that_do_not_count_are_reported_with_those_who_leave_all_unrewarded():
    returns = [[0, 9, 0, 1, 1, 1], [0, 9, 0, 2, 2, 0]]
    made = frozen("xland/made", 1, table_of(returns, games=("hard", "easy"), policies=("x", "y")))
    assert made.unrewarded == {"hard": ("noop", "swift")} and made.values["hard"] == 0 < made.values["easy"]


def test_another_return_is_another_checksum(tmp_path):
    first, second = (frozen("xland/made", 1, table_of(np.full((3, 3), value))) for value in (7, 8))
    assert first.checksum == write_normaliser(first, tmp_path) != second.checksum


def test_a_version_that_is_not_there_is_named(tmp_path, monkeypatch):
    table = table_of(np.ones((3, 3)))
    publish(tmp_path, monkeypatch, *(frozen("xland/made", version, table) for version in (2, 1)))
    assert published_versions("xland/made") == [1, 2]
    with pytest.raises(UnknownNameError) as caught:
        load_normaliser("xland/made", 7)
    assert str(caught.value) == "unknown normaliser of xland/made 7; known: 1, 2"
    with pytest.raises(UnknownNameError, match="unknown normaliser of bit-grid/test 1; known: none"):
        load_normaliser("bit-grid/test", 1)


def test_a_file_that_was_changed_is_refused(tmp_path, monkeypatch):
    publish(tmp_path, monkeypatch, frozen("xland/made", 1, table_of(np.ones((3, 3)))))
    write_normaliser(frozen("xland/made", 1, table_of(np.full((3, 3), 2.0))), tmp_path)
    with pytest.raises(CorruptSuiteError, match=r"made-v1.npz has checksum .*, expected"):
        load_normaliser("xland/made", 1)


@pytest.mark.parametrize(("benchmark_id", "version"), PUBLISHED)
def test_published_ones_are_of_their_benchmarks_tasks(benchmark_id, version):
    found = load_normaliser(benchmark_id, version)
    assert found.table.tasks == benchmark_tasks(get_benchmark(benchmark_id).task_suite())
    assert found.values == pytest.approx(best_values(found.table), rel=1e-9)
    assert set(normalisers.FOLDER.glob("*.npz")) == {
        normalisers.FOLDER / f"{of_one.partition('/')[2]}-v{of_version}.npz" for of_one, of_version in PUBLISHED
    }


@pytest.fixture
def earned(tmp_path):
    """A folder with what a player earned on three tasks."""
    np.save(tmp_path / "random.npy", np.array([3.0, 1.0, 2.0]))
    return tmp_path


def test_making_takes_what_is_there(small, earned):
    made = made_normaliser(small, 4, earned, players=("random",))
    assert (made.benchmark, made.version, made.table.policies) == (small.id, 4, ("random",))
    assert made.table.tasks == benchmark_tasks(small.task_suite())
    assert made.table.returns.tolist() == [[3.0, 1.0, 2.0]]


def test_the_command_takes_the_players_that_are_named(small, earned):
    with only_benchmarks(small):
        result = CliRunner().invoke(
            app, [small.id, "--submissions", str(earned), "--player", "random", "--out", str(earned)]
        )
    made = made_normaliser(small, 1, earned, players=("random",))
    assert result.stdout.startswith(f'("{small.id}", 1): "{made.checksum}",'), result.output
    assert [path.name for path in earned.glob("*.npz")] == ["hand-authored-v1.npz"]


def test_making_refuses_what_does_not_fit(small, earned):
    np.save(earned / "random.npy", np.zeros(4))
    with pytest.raises(InvalidSubmissionError, match=r"random\.npy: array's shape is \(4,\), expected \(3,\)"):
        made_normaliser(small, 1, earned, players=("random",))


def test_a_normaliser_grows_with_its_players(small, earned, monkeypatch):
    """A second player makes games worth more, never less; the first one is not played again."""
    first = made_normaliser(small, 1, earned, players=("random",))
    publish(earned, monkeypatch, first)
    (earned / "random.npy").unlink()
    np.save(earned / "second.npy", np.array([1.0, 4.0, 0.0]))
    call = [small.id, "--submissions", str(earned), "--out", str(earned), "--grow", "1", "--player", "second=runs/2"]
    with only_benchmarks(small):
        result = CliRunner().invoke(app, call)
        grown = made_normaliser(small, 2, earned, ("second",), earlier=first)
    assert f'("{small.id}", 2): "{grown.checksum}",' in result.stdout, result.output
    assert grown.table.policies == ("random", "second") and grown.table.returns.tolist() == [[3, 1, 2], [1, 4, 0]]
    assert all(value >= first.values[game] for game, value in grown.values.items()) and grown.values != first.values
    with pytest.raises(InvalidReturnsError, match=r"second .twice"):
        made_normaliser(small, 3, earned, ("second",), earlier=grown)


@pytest.mark.slow
def test_making_plays_who_is_missing(small, tmp_path):
    single = dataclasses.replace(small, task_names=small.task_names[:1])
    with only_benchmarks(single):
        made = made_normaliser(single, 1, tmp_path, players=("noop", "xland-swift"))
    assert made.table.returns[:, 0].tolist() == [900, 900]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["noop", "noop.npy", "xland-swift", "xland-swift.npy"]

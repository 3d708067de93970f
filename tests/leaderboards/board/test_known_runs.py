"""The runs that are known of a training: a row enters all of them."""

import pytest

from procgen_bench.baselines.training.run_records import find_runs
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.known_runs import add_known_runs, cell_of, is_selected, known_runs
from procgen_bench.leaderboards.errors import CorruptBoardError
from tests.architecture.checkout import CHECKOUT
from tests.leaderboards.entries import metadata

TRAIN = "procgen-bench train dqn grid-world/target-a --steps 60000"


def test_a_cell_is_a_training_whatever_its_seed_and_where_it_runs():
    assert cell_of(f"{TRAIN} --seed 3 --device cuda --discount 0.9") == f"{TRAIN} --discount 0.9"
    assert cell_of(f"{TRAIN} --seed=3 --threads 2 --discount 0.9") == f"{TRAIN} --discount 0.9"
    assert cell_of(f"{TRAIN} --discount 0.95") != f"{TRAIN} --discount 0.9"
    assert cell_of("an 'open quote") == "an 'open quote"


@pytest.mark.parametrize(
    ("seeds", "selected"),
    [([0, 1, 2], False), ([2, 0, 1], False), ([0], True), ([0, 1], True), ([1, 2], True), ([0, 0, 1, 2], True)],
)
def test_a_row_enters_all_known_runs_of_its_training(seeds, selected, tmp_path):
    add_known_runs([(f"{TRAIN} --seed {seed}", seed) for seed in range(3)], tmp_path)
    row = metadata("row", seeds=seeds, training=TRAIN + " --seed {seed}")
    assert is_selected(row, known_runs(tmp_path)) == selected
    other = metadata("other", seeds=seeds, training=TRAIN + " --discount 0.5 --seed {seed}")
    assert is_selected(other, known_runs(tmp_path)) == (sorted(seeds) != list(range(len(seeds))))


def test_runs_are_added_and_never_forgotten(tmp_path):
    assert known_runs(tmp_path) == {}
    assert add_known_runs([(f"{TRAIN} --seed 1", 1), (f"{TRAIN} --seed 0", 0)], tmp_path) == 2
    assert add_known_runs([(f"{TRAIN} --seed 1", 1), ("another", 5)], tmp_path) == 1
    assert known_runs(tmp_path) == {TRAIN: {0, 1}, "another": {5}}


def test_a_damaged_list_is_named(tmp_path):
    (tmp_path / "known_runs.json").write_text('{"cells": {"a": [-1]}}')
    with pytest.raises(CorruptBoardError, match=r"known_runs\.json"):
        known_runs(tmp_path)


def test_the_published_board_knows_every_run_that_is_documented():
    """`procgen-bench board runs docs/results` notes what is missing."""
    known = known_runs(published_board())
    found, damaged = find_runs(CHECKOUT / "docs" / "results")
    assert found and not damaged
    assert [run.folder for run in found if run.seed not in known.get(cell_of(run.command), ())] == []


def test_the_command_notes_runs(run, tmp_path):
    code, out, _ = run("board", "runs", CHECKOUT / "docs/results/sibling-rivalry/bit-grid-test", "--board", tmp_path)
    assert code == 0 and "9 of 9 runs are new" in out
    assert {0, 1, 2, 3, 4} in known_runs(tmp_path).values()
    code, _, err = run("board", "runs", tmp_path / "nowhere", "--board", tmp_path)
    assert code == 2 and "nowhere" in err

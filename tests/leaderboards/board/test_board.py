import dataclasses

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board import board as board_module
from procgen_bench.leaderboards.board import submitting
from procgen_bench.leaderboards.board.board import (
    archived_versions,
    board_contents,
    published_board,
    read_entries,
    stored_submission,
)
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.errors import BoardBusyError, DuplicateEntryError, InvalidSubmissionError
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from procgen_bench.leaderboards.verification.verification import Tier, verify


def test_entry_holds_submission_and_what_was_found(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path / "board")
    assert entry.folder == tmp_path / "board" / "grid-world" / "target-a" / "v1" / "random"
    assert (entry.folder / "submission.json").read_bytes() == (random_folder / "submission.json").read_bytes()
    verification, _ = verify(read_submission(random_folder))
    assert (entry.record.epoch, entry.tier) == (1, Tier.REPLAYED)
    np.testing.assert_array_equal(entry.scores, verification.scores)
    assert entry.scores.shape == (2, 1)
    kept, given = stored_submission(entry.folder), read_submission(random_folder)
    np.testing.assert_array_equal(kept.traces.actions, given.traces.actions)
    assert entry.benchmark == target
    assert [entry.name for entry in read_entries(target, tmp_path / "board")] == ["random"]


def test_empty_board_has_no_entries(target, tmp_path):
    assert read_entries(target, tmp_path / "nowhere") == []
    assert read_table(target, tmp_path / "nowhere") == []


def test_only_a_checkout_has_a_published_board(tmp_path, monkeypatch):
    assert (published_board() / "grid-world" / "graded").is_dir()
    monkeypatch.setattr(board_module, "__file__", str(tmp_path / "board" / "board.py"))  # as installed from the wheel
    assert published_board() is None


def test_raised_version_archives_old_rows_and_lets_every_method_enter_anew(
    random_folder, play, target, tmp_path, monkeypatch
):
    submit(random_folder, tmp_path)
    raised = dataclasses.replace(target, version=2)
    monkeypatch.setitem(BENCHMARKS, target.id, raised)
    assert read_table(raised, tmp_path) == [] and read_entries(raised, tmp_path) == []
    assert archived_versions(raised, tmp_path) == [1] and archived_versions(target, tmp_path) == []
    (old,) = board_contents(raised, tmp_path, version=1).entries
    assert (old.name, old.metadata.benchmark_version) == ("random", 1)
    submit(play(raised, "random", num_runs=2), tmp_path)
    assert [entry.name for entry in read_entries(raised, tmp_path)] == ["random"]
    assert archived_versions(raised, tmp_path) == [1]


def test_left_out_entry_keeps_its_name(random_folder, target, tmp_path):
    (submit(random_folder, tmp_path).folder / RECORD_FILE).unlink()
    with pytest.raises(DuplicateEntryError, match="already has an entry 'random'"):
        submit(random_folder, tmp_path)


def test_policy_whose_hash_was_written_in_escapes_is_entered_once(random_folder, honest, tmp_path):
    (digest,) = {run.policy_hash for run in read_submission(random_folder).metadata.runs}
    path = honest.folder / METADATA_FILE
    path.write_text(path.read_text().replace(digest, f"\\u{ord(digest[0]):04x}{digest[1:]}"))
    submit(honest.folder, tmp_path / "board")
    honest.fields(method="Another")
    with pytest.raises(DuplicateEntryError, match=r"the policy .* in entry 'random'; a policy is entered once"):
        submit(honest.folder, tmp_path / "board")


def test_held_board_is_waited_for_and_then_reported(random_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(submitting, "_LOCK_TIMEOUT_SECONDS", 0.2)
    with submitting.locked(tmp_path), pytest.raises(BoardBusyError, match=r"has held .*\.lock for 0.2 s"):
        submit(random_folder, tmp_path)
    submit(random_folder, tmp_path)


def test_the_method_may_be_named_at_last(random_folder, tmp_path):
    entry = submit(random_folder, tmp_path / "board", method="Chance (mine)")
    assert (entry.metadata.method, entry.name) == ("Chance (mine)", entry.metadata.entry_name)
    assert entry.metadata.model_dump(exclude={"method"}) == read_submission(random_folder).metadata.model_dump(
        exclude={"method"}
    )
    (shown,) = board_contents(entry.benchmark, tmp_path / "board").entries
    assert shown.metadata == entry.metadata
    with pytest.raises(InvalidSubmissionError, match=r"method is '\.\./up', expected a letter or digit"):
        submit(random_folder, tmp_path / "other", method="../up")
    assert not (tmp_path / "other").exists()

import dataclasses
import datetime
import json

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
    read_entry_submission,
)
from procgen_bench.leaderboards.board.record import RECORD_FILE
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.board.trace_store import MissingTracesError, traces_path
from procgen_bench.leaderboards.board.trust import UntrustedVerifierError, certify
from procgen_bench.leaderboards.board.verifier import Verifier, own_root, own_verifier
from procgen_bench.leaderboards.errors import BoardBusyError, DuplicateEntryError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from procgen_bench.leaderboards.verification.verification import verify


@pytest.fixture(scope="module")
def solved(play, target):
    """A solver's submission for target A."""
    return read_submission(play(target, "solver"))


def test_entry_holds_submission_and_what_was_found(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path / "board", submitted_on=datetime.date(2026, 2, 3))
    assert entry.folder == tmp_path / "board" / "grid-world" / "target-a" / "v1" / "random"
    assert (entry.folder / "submission.json").read_bytes() == (random_folder / "submission.json").read_bytes()
    verification = verify(read_submission(random_folder))
    assert (entry.record.score, entry.record.submitted_on) == (verification.score, "2026-02-03")
    np.testing.assert_array_equal(entry.scores, verification.scores)
    assert entry.scores.shape == (2, 1)
    kept, given = read_entry_submission(entry), read_submission(random_folder)
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


def test_record_that_another_trusted_verifier_signed_is_read(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path)
    other = Verifier(key=bytes(32), secret=bytes(32))
    raised = entry.record.model_copy(update={"score": 0.9}).signed(other)
    (entry.folder / RECORD_FILE).write_bytes(raised.to_json())
    assert [left_out.name for left_out in board_contents(target, tmp_path).unreadable] == ["random"]
    certify(other.public_key, "Other", ["grid-world"], ("2026-01-01", "2099-12-31"), own_root(), tmp_path)
    assert [entry.record.score for entry in read_entries(target, tmp_path)] == [0.9]


def test_record_from_before_segments_were_counted_is_read(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path)
    content = entry.record.model_dump_json(exclude={"by_segments", "signature"})
    signature = own_verifier().sign(content.encode())
    (entry.folder / RECORD_FILE).write_text(f'{content[:-1]},"signature":"{signature}"}}\n')
    (old,) = read_entries(target, tmp_path)
    assert old.record == entry.record.model_copy(update={"by_segments": 0, "signature": signature})


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


def test_board_of_others_is_not_signed(random_folder, target, tmp_path, monkeypatch, tree_hash):
    submit(random_folder, tmp_path / "board")
    before = tree_hash(tmp_path / "board")
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "another"))
    with pytest.raises(UntrustedVerifierError, match=r"trusts other verifiers .* `procgen-bench board certify"):
        submit(random_folder, tmp_path / "board")
    assert tree_hash(tmp_path / "board") == before


def test_traces_that_are_not_here_are_named(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path)
    path = traces_path(entry.record.traces, tmp_path)
    other = read_submission(random_folder).traces
    assert traces_path(other.address(), tmp_path) == path
    path.write_bytes(dataclasses.replace(other, scores=other.scores + 1).to_npz())
    with pytest.raises(MissingTracesError, match="holds other traces than"):
        read_entry_submission(entry)
    path.unlink()
    with pytest.raises(MissingTracesError, match=f"does not hold the traces {entry.record.traces}"):
        read_entry_submission(entry)
    assert len(read_table(target, tmp_path)) == 1  # the table needs none


def test_held_board_is_waited_for_and_then_reported(random_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(submitting, "_LOCK_TIMEOUT_SECONDS", 0.2)
    with submitting._locked(tmp_path), pytest.raises(BoardBusyError, match=r"has held .*\.lock for 0.2 s"):
        submit(random_folder, tmp_path)
    submit(random_folder, tmp_path)


def test_record_is_readable_json(random_folder, tmp_path):
    entry = submit(random_folder, tmp_path)
    record = json.loads((entry.folder / "verified.json").read_text())
    assert record["tier"] == "replayed"
    assert "numpy" in record["package_versions"]
    assert datetime.date.fromisoformat(record["submitted_on"])


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

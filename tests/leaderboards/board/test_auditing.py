"""Audits: anybody plays a row again by public values alone; and rows are verified again under a new root."""

import json
import shutil
from pathlib import Path

import pytest

from procgen_bench.leaderboards.board.auditing import AuditError, audit, find_entry
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.record import RECORD_FILE
from procgen_bench.leaderboards.board.submitting import submit, today
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.board.trust import TRUST_FILE, TrustFile, certify, write_trust
from procgen_bench.leaderboards.board.verifier import own_root, own_verifier, public_key_of
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from tests.leaderboards.onnx_policies import noisy_policy

ROW = "grid-world/target-a/noisy"


@pytest.fixture(scope="module")
def kept(target, random_folder, tmp_path_factory):
    """A keeper's folder and board, with a row whose secret is not published yet."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "noisy.onnx").write_bytes(noisy_policy())
    sources = [(str(folder / "noisy.onnx"), 0)]
    evaluate(target, sources, folder / "submission", MethodDescription("Tests", "pytest", method="noisy"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROCGEN_BENCH_VERIFIER", str(folder / "keeper"))
        submit(folder / "submission", folder / "board")
        submit(random_folder, folder / "board")
    return folder


@pytest.fixture
def keeper(kept, tmp_path, monkeypatch) -> Path:
    """The same, to change; returns the board."""
    shutil.copytree(kept, tmp_path / "kept")
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "kept" / "keeper"))
    return tmp_path / "kept" / "board"


def test_anybody_audits_a_row_once_its_secret_is_published(keeper, run, tmp_path, monkeypatch):
    code, _, error = run("board", "audit", ROW, "--board", keeper)
    assert code == 2 and f"{ROW}: the secret" in error and "is not published yet" in error
    assert run("board", "rotate", "--board", keeper)[0] == 0
    shutil.rmtree(keeper / "traces")
    elsewhere = shutil.copytree(keeper, tmp_path / "elsewhere")  # as it is cloned by somebody who holds no keys
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "nobody"))
    code, output, _ = run("board", "audit", ROW, "--board", elsewhere)
    assert code == 0 and f"{ROW}: suite -0." in output and "as the board's maker recorded on" in output
    code, again, _ = run("verify", elsewhere / "grid-world" / "target-a" / "v1" / "noisy")
    assert (code, again) == (0, output)
    assert not (tmp_path / "nobody").exists()


def test_before_that_the_suite_alone_is_played(keeper):
    """As the review of a change does, of rows that are new."""
    entry = find_entry(ROW, keeper)
    found = audit(entry, unpublished=True)
    assert (found.suite, found.fresh, found.holder) == (entry.record.score, None, "the board's maker")


def resigned(board, **changes):
    """The row as its own verifier would sign it after a change."""
    entry = find_entry(ROW, board)
    record = entry.record.model_copy(update=changes).signed(own_verifier())
    (entry.folder / RECORD_FILE).write_bytes(record.to_json())
    return find_entry(ROW, board)


def test_a_verifier_who_lies_is_found_by_audits(keeper, run):
    fresh = find_entry(ROW, keeper).record.fresh
    run("board", "rotate", "--board", keeper)
    with pytest.raises(AuditError, match=rf"{ROW}: run 0's fresh score is -0\.\d+ here, its record says 0.9"):
        audit(resigned(keeper, fresh=fresh.model_copy(update={"runs": [0.9], "score": 0.9})))
    with pytest.raises(AuditError, match=rf"{ROW}: the suite's score is -0\.\d+ here, its record says 0.9"):
        audit(resigned(keeper, fresh=fresh, score=0.9))
    # Its key is certified for earlier days, too: only the commitment's day is in the way.
    certify(own_verifier().public_key, "Early", ["*"], ("2000-01-01", today()), own_root(), keeper)
    with pytest.raises(AuditError, match="had not committed to the secret of its fresh episodes on that day"):
        audit(resigned(keeper, fresh=fresh, verified_on="2020-01-01"))


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("grid-world/target-a/nobody", "has no row 'grid-world/target-a/nobody'"),
        ("grid-world/nowhere/noisy", "there is no row 'grid-world/nowhere/noisy'"),
        ("noisy", "there is no row 'noisy'"),
    ],
)
def test_rows_that_are_not_there_are_named(row, fault, keeper, run):
    code, _, error = run("board", "audit", row, "--board", keeper)
    assert code == 2 and fault in error and len(error.splitlines()) == 1


def test_a_row_without_policies_has_nothing_to_audit(keeper, run):
    code, _, error = run("board", "audit", "grid-world/target-a/random", "--board", keeper)
    assert code == 2 and "grid-world/target-a/random has no policies that its verifier played" in error


def test_rows_of_an_older_root_are_verified_again(keeper, target, run):
    """They stand without a rank until then."""
    entries = read_entries(target, keeper)
    before = {entry.name: entry.record for entry in entries}
    (keeper.parent / "keeper" / "root.key").unlink()  # the root is lost
    write_trust(TrustFile(root=public_key_of(own_root())), keeper)
    assert run("board", "keep", *(entry.folder for entry in entries), "--board", keeper)[0] == 0
    assert {row.entry.name: row.unranked for row in read_table(target, keeper)} == {
        "noisy": Unranked.OLDER,
        "random": Unranked.FLOOR,
    }
    code, _, error = run("board", "audit", ROW, "--board", keeper)
    assert code == 2 and f"{ROW} was verified under an older root of trust" in error
    code, _, error = run("board", "reverify", "--older", "--board", keeper)
    assert code == 2 and "no certificate names its key" in error
    assert run("board", "certify", own_verifier().public_key, "--holder", "Me", "--board", keeper)[0] == 0
    assert run("board", "rotate", "--board", keeper)[0] == 0
    code, output, _ = run("board", "reverify", "--older", "--board", keeper)
    assert code == 0 and output.startswith(f"{ROW}: suite ") and len(output.splitlines()) == 1
    single, floor = read_table(target, keeper)
    assert (single.badge, single.entry.is_older, floor.entry.is_older) == ("1 run", False, True)
    after = single.entry.record
    assert (after.score, after.traces, after.submitted_on) == (
        before["noisy"].score,
        before["noisy"].traces,
        before["noisy"].submitted_on,
    )
    assert after.fresh.score == before["noisy"].fresh.score  # by the same secret
    assert json.loads((keeper / TRUST_FILE).read_text())["older"]["records"]
    assert run("board", "reverify", "--older", "--board", keeper)[1] == ""

"""The root of trust: who may verify what and when, what is revoked, and what a board believes of its file."""

import json
import shutil

import pytest

from procgen_bench.leaderboards.board import trust as trust_module
from procgen_bench.leaderboards.board.board import board_contents
from procgen_bench.leaderboards.board.eligibility import Unranked, unranked
from procgen_bench.leaderboards.board.record import RECORD_FILE
from procgen_bench.leaderboards.board.submitting import submit, today
from procgen_bench.leaderboards.board.trust import (
    PUBLISHED_ROOT,
    TRUST_FILE,
    TrustFile,
    certify,
    keep_older,
    read_trust,
    revoke,
    write_trust,
)
from procgen_bench.leaderboards.board.verifier import Verifier, own_root, own_verifier, public_key_of
from procgen_bench.leaderboards.errors import CorruptBoardError

STRANGER = Verifier(key=bytes(32), secret=bytes(32))
ALWAYS = ("2000-01-01", "2999-12-31")


@pytest.fixture
def board(occupied_board, tmp_path):
    return shutil.copytree(occupied_board, tmp_path / "board")


@pytest.fixture
def signed_by(board, target):
    """signed_by(verifier) -> why the board's entry is left out once this verifier has signed it; empty if it is not."""

    def of(verifier: Verifier, **changes) -> str:
        (entry,) = board_contents(target, board).entries
        record = entry.record.model_copy(update=changes).signed(verifier)
        (entry.folder / RECORD_FILE).write_bytes(record.to_json())
        return "".join(one.reason for one in board_contents(target, board).unreadable)

    return of


@pytest.mark.parametrize(
    ("tracks", "days", "reason"),
    [
        (["*"], ALWAYS, ""),
        (["bit-grid", "grid-world"], ALWAYS, ""),
        (["bit-grid"], ALWAYS, "may verify grid-world on that day: Stranger's key is for bit-grid"),
        (["*"], ("2000-01-01", "2020-01-01"), "Stranger's key expired on 2020-01-01"),
        (["*"], ("2999-01-01", "2999-12-31"), "Stranger's key is valid from 2999-01-01"),
    ],
)
def test_a_certificate_is_for_tracks_and_days(tracks, days, reason, board, signed_by):
    certify(STRANGER.public_key, "Stranger", tracks, days, own_root(), board)
    found = signed_by(STRANGER)
    assert reason in found and bool(found) == bool(reason)


def test_a_revoked_key_is_believed_up_to_its_last_good_day(board, signed_by):
    certify(STRANGER.public_key, "Stranger", ["*"], ALWAYS, own_root(), board)
    revoke(STRANGER.public_key, "2020-06-01", "stolen", own_root(), board)
    assert signed_by(STRANGER, verified_on="2020-05-31") == ""
    assert "Stranger's key is revoked since 2020-06-01 (stolen)" in signed_by(STRANGER, verified_on="2020-06-01")


def appended_certificate(file):
    """As a person who edits the file would, without the root key."""
    file["certificates"].append({**file["certificates"][0], "key": STRANGER.public_key})


def prolonged_certificate(file):
    file["certificates"][0]["last"] = "2999-12-31"


def certificate_by_the_verifier(file):
    root = public_key_of(STRANGER.key)
    fields = {"key": root, "holder": "Me", "tracks": ["*"], "first": ALWAYS[0], "last": ALWAYS[1]}
    file["certificates"].append(trust_module.Certificate(**fields).signed(STRANGER.key).model_dump())


def older_record_added(file):
    file["older"]["records"].append("0" * 64)


def commitment_of_another(file):
    file["commitments"][0]["key"] = STRANGER.public_key


def commitment_of_an_earlier_day(file):
    file["commitments"][0]["since"] = "2000-01-01"


@pytest.mark.parametrize(
    "change",
    [
        appended_certificate,
        prolonged_certificate,
        certificate_by_the_verifier,
        older_record_added,
        commitment_of_another,
        commitment_of_an_earlier_day,
    ],
)
def test_a_file_that_was_edited_without_the_key_is_not_read(change, board, target):
    file = json.loads((board / TRUST_FILE).read_text())
    change(file)
    (board / TRUST_FILE).write_text(json.dumps(file))
    with pytest.raises(CorruptBoardError, match=r"trust.json: \w+\[0|1\] is .*, expected (the root's|its verifier's)"):
        board_contents(target, board)


def test_a_published_board_has_its_root_whatever_its_file_says(board, monkeypatch):
    """Or a person who signs everything again, under a root of their own, would be believed."""
    assert read_trust(board).file.root != PUBLISHED_ROOT
    monkeypatch.setattr(trust_module, "_PUBLISHED_BOARD", board)
    with pytest.raises(CorruptBoardError, match=rf"trust.json: root is .*, expected {PUBLISHED_ROOT}, the root of"):
        read_trust(board)


def test_a_revocation_taken_out_shows(board):
    """It can be taken out; the review of a change compares the file with what it was (test_reviewing.py)."""
    revoke(own_verifier().public_key, today(), "stolen", own_root(), board)
    file = read_trust(board).file
    write_trust(file.model_copy(update={"revocations": []}), board)
    assert read_trust(board).file.revocations == []


def test_records_of_an_older_root_are_shown_without_a_rank(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path)
    record = (entry.folder / RECORD_FILE).read_bytes()
    write_trust(TrustFile(root=public_key_of(STRANGER.key)), tmp_path)
    assert len(board_contents(target, tmp_path).unreadable) == 1
    keep_older([record], STRANGER.key, tmp_path)
    (older,) = board_contents(target, tmp_path).entries
    assert older.is_older and unranked(older, {}) is Unranked.FLOOR
    (entry.folder / RECORD_FILE).write_bytes(record.replace(b'"score":-0.', b'"score":0.'))
    assert len(board_contents(target, tmp_path).unreadable) == 1

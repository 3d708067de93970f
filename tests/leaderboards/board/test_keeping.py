"""What those who keep a board do with it: trust, rotated secrets, traces that are brought, former boards."""

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from procgen_bench.leaderboards.board import verifier
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.missing_traces import has_traces
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.trace_store import traces_path
from procgen_bench.leaderboards.board.verifier import UnreadableVerifierError, own_verifier, verifier_folder
from procgen_bench.leaderboards.submission.folder import write_submission

ELSEWHERE = "set PROCGEN_BENCH_VERIFIER to a folder that can be written\n"


@pytest.fixture
def board(random_folder, tmp_path):
    submit(random_folder, tmp_path / "board")
    return tmp_path / "board"


@pytest.fixture
def another_verifier(tmp_path, monkeypatch):
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "another"))
    return own_verifier()


def test_identity_is_kept_and_private(another_verifier):
    assert own_verifier() == another_verifier
    for path in verifier_folder().iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len({another_verifier.key, another_verifier.secret}) == 2


@pytest.mark.parametrize(
    ("content", "message"), [("no digits", "cannot be read"), ("00ff", "holds 2 bytes, expected 32")]
)
def test_damaged_identity_is_named(another_verifier, content, message):
    (verifier_folder() / "signing.key").write_text(content)
    with pytest.raises(UnreadableVerifierError, match=f"signing.key .*{message}.* remove it for a new one"):
        own_verifier()


def test_identity_that_cannot_be_kept_is_one_line(monkeypatch, run):
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", "/proc/new")
    code, out, error = run("board", "key")
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"error: /proc/new/signing\.key cannot be made \(.+\); {ELSEWHERE}", error)


def no_home(application):
    raise RuntimeError("could not determine the home directory")


# Recent platformdirs raise an error, older ones give what is no folder.
@pytest.mark.parametrize("user_config_path", [no_home, lambda application: Path("~/.config", application)])
def test_identity_of_a_user_without_a_home_folder_is_one_line(user_config_path, monkeypatch, tmp_path, run):
    monkeypatch.delenv("PROCGEN_BENCH_VERIFIER")
    monkeypatch.setattr(verifier, "user_config_path", user_config_path)
    monkeypatch.chdir(tmp_path)
    message = f"error: you have no home folder to keep your verifier's key in; {ELSEWHERE}"
    assert run("board", "key") == (2, "", message)
    assert not list(tmp_path.iterdir())


def test_board_that_certifies_another_verifier_takes_its_rows(play, board, target, tmp_path, monkeypatch, run):
    solver, here = play(target, "solver"), os.environ["PROCGEN_BENCH_VERIFIER"]
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "another"))
    code, key, _ = run("board", "key")
    assert (code, key.strip()) == (0, own_verifier().public_key)
    code, _, error = run("submit", solver, "--board", board)
    assert code == 2 and "trusts other verifiers" in error and "no certificate names its key" in error
    code, _, error = run("board", "rotate", "--board", board)
    assert code == 2 and "no certificate names its key" in error
    code, _, error = run("board", "certify", key.strip(), "--holder", "Another", "--board", board)
    assert code == 2 and "the root key of" in error and "(--root)" in error  # its own root key is another
    root = Path(here) / "root.key"
    assert run("board", "certify", key.strip(), "--holder", "Another", "--root", root, "--board", board)[0] == 0
    code, _, error = run("submit", solver, "--board", board)
    assert code == 2 and "no commitment to your secret of fresh episodes; `procgen-bench board rotate" in error
    assert run("board", "rotate", "--board", board)[0] == 0
    assert run("submit", solver, "--board", board)[0] == 0
    assert [entry.name for entry in read_entries(target, board)] == ["random", "solver"]
    code, shown, _ = run("board", "trust", "--board", board)
    assert code == 0 and re.search(rf"Another: {key.strip()}, \*, \d{{4}}-\d\d-\d\d to ", shown)


def test_what_is_no_key_is_refused(board, run, tree_hash):
    before = tree_hash(board)
    code, _, error = run("board", "certify", "nobody", "--holder", "N", "--board", board)
    assert code == 2 and "trust.json: key is 'nobody', expected" in error
    assert tree_hash(board) == before


def test_rotated_secret_is_published(another_verifier, random_folder, tmp_path, run):
    before, board = another_verifier, tmp_path / "board"  # others' boards are committed to the usual secret
    submit(random_folder, board)
    assert run("board", "rotate", "--board", board)[0] == 0
    assert json.loads((board / "trust.json").read_text())["secrets"] == [before.secret.hex()]
    assert own_verifier().secret != before.secret and own_verifier().key == before.key
    shown = run("board", "trust", "--board", board)[1]
    assert shown.count("published") == 1 and shown.count("in use") == 1


def test_traces_are_played_again(board, target, run):
    (entry,) = read_entries(target, board)
    shutil.rmtree(board / "traces")
    code, output, _ = run("board", "traces", target.id, "--board", board)
    assert code == 0 and "1 of 1 missing traces" in output
    assert has_traces(entry)
    assert "0 of 0 missing traces" in run("board", "traces", target.id, "--board", board)[1]


def test_traces_are_copied_from_where_they_are(board, target, run, tmp_path):
    (entry,) = read_entries(target, board)
    (board / "traces").rename(tmp_path / "elsewhere")
    assert run("board", "traces", "--from", tmp_path / "elsewhere", "--board", board)[0] == 0
    assert has_traces(entry)


def test_wrong_traces_are_not_taken(board, target, run, tmp_path, play):
    (entry,) = read_entries(target, board)
    other = submit(play(target, "random"), tmp_path / "other")
    path = traces_path(entry.record.traces, board)
    wrong = traces_path(entry.record.traces, tmp_path / "elsewhere")
    wrong.parent.mkdir(parents=True)
    path.unlink()
    code, _, error = run("board", "traces", "--from", tmp_path / "elsewhere" / "traces", "--board", board)
    assert code == 2 and "does not give" in error
    wrong.write_bytes(traces_path(other.record.traces, tmp_path / "other").read_bytes())
    code, _, error = run("board", "traces", "--from", tmp_path / "elsewhere" / "traces", "--board", board)
    assert code == 2 and not has_traces(entry)


def test_policies_that_the_board_does_not_hold_cannot_play_again(
    solver_submission, renamed, board, target, tmp_path, run
):
    write_submission(renamed(solver_submission, 1), tmp_path / "learned")
    submit(tmp_path / "learned", board)
    shutil.rmtree(board / "traces")
    code, output, error = run("board", "traces", target.id, "--board", board)
    assert code == 2 and "1 of 2 missing traces" in output
    assert "the board does not hold method-1's policies" in error


@pytest.fixture(scope="module")
def solver_submission(play, target):
    from procgen_bench.leaderboards.submission.folder import read_submission

    return read_submission(play(target, "solver"))

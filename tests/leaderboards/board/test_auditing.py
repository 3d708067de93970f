"""Audits, epochs and provisional rows: anybody makes a row's record again, and compares all of it."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import procgen_bench
from procgen_bench.baselines.policies.onnx.export import export_folder
from procgen_bench.cli import main
from procgen_bench.leaderboards.board import retraining, submitting
from procgen_bench.leaderboards.board.auditing import AuditError, audit
from procgen_bench.leaderboards.board.beginning import begin_epoch, play_rows, row_folders
from procgen_bench.leaderboards.board.board import find_entry, read_entries
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.reproduced import reproduced_badge
from procgen_bench.leaderboards.board.retraining import OtherCommitError, RetrainingError, retrain
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.scoring.epoch import read_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE, archived_file, parse_record
from procgen_bench.leaderboards.submission.metadata import Run, Training, TrainingTasks
from tests.leaderboards.entries import EPOCH, state_training
from tests.leaderboards.onnx_policies import constant_policy, noisy_policy

ROW = "grid-world/target-a/noisy"


@pytest.fixture(scope="module")
def kept(target, random_folder, tmp_path_factory):
    """A board with a policy's row and one of recorded actions."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "noisy.onnx").write_bytes(noisy_policy())
    sources = [(str(folder / "noisy.onnx"), 0)]
    evaluate(target, sources, folder / "submission", MethodDescription("Tests", "pytest", method="noisy"))
    submit(folder / "submission", folder / "board")
    submit(random_folder, folder / "board")
    return folder / "board"


@pytest.fixture
def board(kept, tmp_path) -> Path:
    """The same, to change."""
    return Path(shutil.copytree(kept, tmp_path / "board"))


def changed(board: Path, **fields) -> None:
    """Write other fields into the record of the row."""
    entry = find_entry(ROW, board)
    (entry.folder / RECORD_FILE).write_bytes(entry.record.model_copy(update=fields).to_json())


@pytest.mark.parametrize("row", [ROW, "grid-world/target-a/random"])
def test_anybody_makes_a_record_again(board, run, row):
    code, out, error = run("board", "audit", row, "--board", board)
    assert (code, error) == (0, "") and f"{row}: suite " in out and "as recorded" in out


def test_a_row_is_scored_to_its_record(board, run, tmp_path):
    code, _, _ = run("score", ROW, "--board", board, "-o", tmp_path / "record.json")
    assert code == 0
    made = parse_record((tmp_path / "record.json").read_bytes())
    assert made.measured() == find_entry(ROW, board).record.measured()


def test_a_fresh_score_that_was_forged_is_found(board):
    """What ranks: a certificate's holder once signed 5.0 for it, and audits agreed."""
    changed(board, fresh=[[5.0] * 50])
    with pytest.raises(AuditError, match=f"{ROW}: its record differs from what is played here in fresh$"):
        audit(find_entry(ROW, board))


def test_a_policy_that_differs_from_its_hash_is_found(board):
    (find_entry(ROW, board).folder / "policy-0.onnx").write_bytes(constant_policy(1))
    with pytest.raises(InvalidSubmissionError, match=r"policy-0\.onnx: SHA-256 is"):
        find_entry(ROW, board)


def test_a_machine_that_is_too_slow_refuses_nothing(board, run, tmp_path, monkeypatch):
    code, _, error = run("board", "audit", ROW, "--board", board, "--max-seconds", "1")
    assert code in (0, 3) and "refused" not in error
    if code == 3:
        assert "too slow here: policy-0.onnx" in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("grid-world/target-a/none", "has no row 'grid-world/target-a/none', expected BENCHMARK/ENTRY"),
        ("grid-world/nowhere/none", "there is no row 'grid-world/nowhere/none'"),
    ],
)
def test_a_row_that_is_not_there_is_named(board, run, row, fault):
    code, _, error = run("board", "audit", row, "--board", board)
    assert code == 2 and fault in error and len(error.splitlines()) == 1


def test_an_epoch_plays_all_rows_again_and_archives_their_records(board, run, target):
    before = {entry.name: entry.record for entry in read_entries(target, board)}
    code, out, error = run("board", "epoch", "--board", board)
    assert (code, error) == (0, "") and "epoch 2 began on" in out and f"{ROW}: suite" in out
    for entry in read_entries(target, board):
        assert entry.record.epoch == 2 and not entry.is_provisional
        assert (entry.folder / archived_file(1)).read_bytes() == before[entry.name].to_json()
        audit(entry)
    noisy = find_entry(ROW, board).record
    assert noisy.fresh != before["noisy"].fresh, "another salt, other noise"
    first, second = read_epochs(board)
    assert first.salt != second.salt and second.ranks("grid-world/target-a", noisy.policies)
    assert run("board", "epoch", "--continue", "--board", board)[1] == "", "nothing is played twice"


def test_a_row_that_comes_after_its_epoch_is_provisional(board, target, tmp_path):
    begin_epoch(board)
    list(play_rows(board, row_folders(board)))
    (tmp_path / "late.onnx").write_bytes(constant_policy(2))
    evaluate(
        target, [(str(tmp_path / "late.onnx"), 0)], tmp_path / "late", MethodDescription("T", "pytest", method="late")
    )
    state_training(tmp_path / "late" / "submission.json")
    assert submit(tmp_path / "late", board).is_provisional
    rows = {row.entry.name: row for row in read_table(target, board)}
    assert rows["late"].unranked is Unranked.PROVISIONAL and rows["late"].rank is None
    begin_epoch(board)
    assert all(entry.is_provisional for entry in read_entries(target, board)), "until they are played"
    list(play_rows(board, row_folders(board)))
    rows = {row.entry.name: row for row in read_table(target, board)}
    assert rows["late"].unranked is not Unranked.PROVISIONAL


def with_training(board: Path, **fields) -> None:
    """Say how the row's policy was trained."""
    command = "procgen-bench train no-such-method grid-world/target-a --seed 0"
    state_training(
        find_entry(ROW, board).folder / "submission.json", **{"command": command, "commit": "0" * 40} | fields
    )


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A checkout of this code, at a commit of its own, from which rows are trained again."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "procgen_bench").symlink_to(Path(procgen_bench.__file__).parent)
    git(folder, "add", "procgen_bench")
    git(folder, "commit", "-qm", "all of it")
    monkeypatch.setattr(retraining, "_OWN_CHECKOUT", folder)
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def head(checkout: Path) -> str:
    return git(checkout, "rev-parse", "HEAD")


def test_a_row_without_a_training_cannot_be_trained_again(board, checkout):
    with pytest.raises(RetrainingError, match=f"{ROW}: the run of seed 0 names no training"):
        retrain(find_entry(ROW, board), 0, checkout)
    with pytest.raises(RetrainingError, match=rf"{ROW} has no trained policy of seed 7, its seeds are \[0\]"):
        retrain(find_entry(ROW, board), 7, checkout)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, f"{ROW}: seed 0 was trained at 0{{40}}, which the history of .* does not have: its code is not reviewed"),
        ({"commit": "0" * 40 + "+changes"}, f"{ROW}: seed 0 was trained at 0{{40}}.changes, whose changes nobody"),
        ({"command": "rm -r /"}, f"{ROW}: 'rm -r /' is no `procgen-bench train` command"),
        ({"command": "procgen-bench train 'dqn"}, 'dqn" is no `procgen-bench train` command'),
    ],
)
def test_a_training_that_nobody_can_run_is_named(board, checkout, fields, fault):
    with_training(board, **fields)
    with pytest.raises(RetrainingError, match=fault):
        retrain(find_entry(ROW, board), 0, checkout)


def test_a_checkout_at_another_commit_is_told_how_to_get_there(board, checkout):
    former = head(checkout)
    git(checkout, "commit", "-q", "--allow-empty", "-m", "later")
    with_training(board, commit=former)
    with pytest.raises(OtherCommitError, match=f"git worktree add ../retrain {former}") as error:
        retrain(find_entry(ROW, board), 0, checkout)
    assert error.value.exit_code == 3


def test_a_command_that_does_not_exist_at_its_commit_is_named(board, checkout):
    with_training(board, commit=head(checkout))
    with pytest.raises(RetrainingError, match=f"{ROW}: `procgen-bench train no-such-method .*` fails at"):
        retrain(find_entry(ROW, board), 0, checkout)


def test_code_that_was_never_merged_trains_nothing_again(board, checkout):
    """A fork's `train` may copy the row's own policy: the same bytes, and a mark above all others."""
    git(checkout, "checkout", "-qb", "fork")
    git(checkout, "commit", "-q", "--allow-empty", "-m", "a training that copies")
    with_training(board, commit=head(checkout))
    git(checkout, "checkout", "-q", "-")
    with pytest.raises(RetrainingError, match=r"which the history of .* does not have: its code is not reviewed"):
        retrain(find_entry(ROW, board), 0, checkout)


@pytest.mark.parametrize("option", ["--network subprocess:Popen", "--network=subprocess:Popen", "--teacher mine:Own"])
def test_a_command_calls_nothing_that_is_not_in_the_checkout(board, checkout, option):
    """A class of one's own is imported and called: a row could start programs where it is trained again."""
    command = f"procgen-bench train dqn grid-world/target-a {option} --seed 0"
    with_training(board, command=command, commit=head(checkout))
    with pytest.raises(RetrainingError, match=f"`{option[10:].strip(' =')}` is not in .*: its code is not reviewed"):
        retrain(find_entry(ROW, board), 0, checkout)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, target):
    """A board with a policy that was really trained, and its training."""
    folder = tmp_path_factory.mktemp("trained")
    words = ["train", "dqn", target.id, "--steps", "200", "--learning-starts", "100", "--evaluate-every", "200"]
    with pytest.raises(SystemExit):
        main([*words, "--out", str(folder / "run")])
    evaluate(target, [(str(folder / "run" / "policy"), 0)], folder / "s", MethodDescription("T", "t", method="noisy"))
    submit(folder / "s", folder / "board")
    return folder / "board"


@pytest.fixture
def trained_before(trained, monkeypatch):
    """What training again gives is copied: a training gives the same bytes, as the test of an honest row finds."""

    def copy(entry, training, checkout, out) -> bytes:
        shutil.copytree(trained.parent / "run", out)
        return export_folder(out / "policy")

    monkeypatch.setattr(retraining, "_trained", copy)


def ready(trained: Path, checkout: Path, tmp_path: Path, change=lambda content: None):
    """The row on a board of its own, trained at the checkout's commit, which says what ``change`` makes of it."""
    board = Path(shutil.copytree(trained, tmp_path / "board"))
    path = find_entry(ROW, board).folder / "submission.json"
    content = json.loads(path.read_text())
    content["runs"][0]["training"]["commit"] = head(checkout)
    content["runs"][0]["training"]["command"] += f" --out={tmp_path / 'elsewhere'} --wandb project"
    change(content)
    path.write_text(json.dumps(content))
    return find_entry(ROW, board)


def test_an_honest_row_is_trained_again_to_the_same_bytes(trained, checkout, tmp_path):
    entry = ready(trained, checkout, tmp_path)
    assert retrain(entry, 0, checkout).by == "bytes"
    again = find_entry(ROW, tmp_path / "board")
    assert (again.reproduced, again.tier_in_words) == ((0,), "training reproduced")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content.update(training_steps=24), "seed 0 is trained for [0-9]+ steps, the row says 24"),
        (lambda content: content["runs"][0].update(training_seed=1), "the command of seed 1 trains seed 0"),
        (
            lambda content: content["runs"][0]["training_tasks"].update(count=3, scored=7),
            "trained on other tasks than the row says",
        ),
    ],
)
def test_what_a_row_says_of_its_training_is_compared(trained, trained_before, checkout, tmp_path, change, fault):
    """A planner once stood as a learner of 1,000 steps: the policy alone does not tell."""
    entry = ready(trained, checkout, tmp_path, change)
    with pytest.raises(RetrainingError, match=fault):
        retrain(entry, entry.metadata.runs[0].training_seed, checkout)
    assert find_entry(ROW, tmp_path / "board").reproduced == ()


def test_a_row_that_is_silent_of_its_tasks_may_not_have_met_the_suite(
    trained, trained_before, checkout, tmp_path, monkeypatch
):
    entry = ready(trained, checkout, tmp_path, lambda content: content["runs"][0].update(training_tasks=None))
    met = TrainingTasks(count=9, sha256="0" * 64, scored=50, met=50, drawn=0, met_drawn=0)
    monkeypatch.setattr(retraining, "training_tasks", lambda *_: met)
    with pytest.raises(RetrainingError, match="seed 0 is trained on 50 tasks of the suite"):
        retrain(entry, 0, checkout)


def test_one_training_does_not_speak_for_others():
    assert reproduced_badge([0, 0], 3) == "1 of 3 trainings reproduced" and reproduced_badge([], 3) is None


def test_a_policy_of_changed_code_has_no_rank_and_is_not_published(target, tmp_path, monkeypatch):
    (tmp_path / "p.onnx").write_bytes(constant_policy(3))
    evaluate(target, [(str(tmp_path / "p.onnx"), 0)], tmp_path / "s", MethodDescription("T", "pytest", method="p"))
    state_training(tmp_path / "s" / "submission.json", commit=f"{'1' * 40}+changes")
    submit(tmp_path / "s", tmp_path / "board")
    (row,) = read_table(target, tmp_path / "board")
    assert (row.rank, row.badge) == (None, "uncommitted changes")
    monkeypatch.setattr(submitting, "published_board", lambda: tmp_path / "published")
    with pytest.raises(InvalidSubmissionError, match=r"training.commit is .*changes', expected a commit without"):
        submit(tmp_path / "s", tmp_path / "published")
    assert not (tmp_path / "published").exists()


@pytest.mark.parametrize(("runs", "agrees"), [((0.9, 0.5, 0.7), True), ((0.9, 0.9, 0.9), False), ((0.9,), False)])
def test_on_another_machine_a_training_is_another_draw_of_the_rows_runs(target, tmp_path, monkeypatch, runs, agrees):
    """Its score is compared by how far the row's own trainings lie apart, of three or more."""
    count = target.num_fresh_episodes
    played = [[1.0] * round(share * count) + [-1.0] * (count - round(share * count)) for share in (0.6, *runs)]
    entry = SimpleNamespace(
        row=ROW,
        benchmark=target,
        epoch=EPOCH,
        fresh=np.array(played[1:]),
        metadata=SimpleNamespace(runs=[Run(training_seed=seed, policy_hash="0" * 64) for seed in range(len(runs))]),
        record=SimpleNamespace(fresh=played[1:]),
    )
    monkeypatch.setattr(retraining, "score", lambda *_: SimpleNamespace(fresh=played[:1]))
    training = Training(command="x", commit="1" * 40, hardware="another", wall_time_seconds=0.0, curve=[])
    run = entry.metadata.runs[0]
    if agrees:
        assert retraining._agreement(entry, run, training, b"a policy") == "score"
    else:
        with pytest.raises(RetrainingError, match=r"seed 0 scores 0\.2 when it is trained here, the row has 0\.8"):
            retraining._agreement(entry, run, training, b"a policy")

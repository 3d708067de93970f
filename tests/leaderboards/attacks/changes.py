"""Pull requests that would put something false on the board, or take something true from it."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from procgen_bench.leaderboards.board.auditing import AuditError
from procgen_bench.leaderboards.board.beginning import begin_epoch
from procgen_bench.leaderboards.board.board import find_entry
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE, Reproduced, reproduced_json
from procgen_bench.leaderboards.board.reviewing import RESULTS, ReviewError
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE, Beacon, begun, read_epochs, write_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE, archived_file
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from tests.leaderboards.attacks.attack import ChangeAttack

ATTACKS: list[ChangeAttack] = []
#: Where the attacked board has its rows: ``left``, and ``up``, which was merged after it.
ROWS = Path("grid-world/target-a/v1")
#: Behind an ONNX file it is the same policy in other bytes: a doc_string of one letter.
DOC_STRING = b"\x32\x01x"


def refused(refusal: str, error: type[Exception] = ReviewError):
    """The decorated function changes a clone of the repository, given the clone, its board and a new row's folder."""

    def add(change):
        ATTACKS.append(ChangeAttack(change.__name__, change, refusal, error))
        return change

    return add


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def entered(row: Path, board: Path, name: str = "new") -> Path:
    """Add the new row to the board's files."""
    return Path(shutil.copytree(row, board / ROWS / name))


def edited(path: Path, change) -> None:
    """Change a file of JSON as its writer would have written it."""
    content = json.loads(path.read_text())
    change(content)
    compact = path.name.startswith("record")
    path.write_text(json.dumps(content, separators=(",", ":") if compact else None) + "\n")


@refused("target-a/new: its record differs from what is played here in fresh$", AuditError)
def forged_score(clone, board, row):
    edited(entered(row, board) / RECORD_FILE, lambda record: record.update(fresh=[[5.0] * len(record["fresh"][0])]))


@refused("record.json: unknown field score is 0.9", InvalidSubmissionError)
def field_that_scoring_does_not_make(clone, board, row):
    edited(entered(row, board) / RECORD_FILE, lambda record: record.update(score=0.9))


@refused("target-a/new: its record is of epoch 1, which is not the newest")
def row_under_an_epoch_that_is_older_than_its_policies(clone, board, row):
    edited(entered(row, board) / RECORD_FILE, lambda record: record.update(epoch=1))


@refused("policy-0.onnx: SHA-256 is '[0-9a-f.]+', expected [0-9a-f]{64}, the policy_hash", InvalidSubmissionError)
def policy_that_differs_from_its_hash(clone, board, row):
    (entered(row, board) / "policy-0.onnx").write_bytes(b"a better policy")


@refused("target-a/second: its record differs from what is played here in suite$", AuditError)
def second_row_behind_an_honest_one(clone, board, row):
    """Both are scored."""
    entered(row, board)
    second = entered(row, board, "second")
    policy = (second / "policy-0.onnx").read_bytes() + DOC_STRING
    (second / "policy-0.onnx").write_bytes(policy)
    digest = hashlib.sha256(policy).hexdigest()
    edited(second / METADATA_FILE, lambda one: (one.update(method="second"), one["runs"][0].update(policy_hash=digest)))
    edited(second / RECORD_FILE, lambda one: one.update(policies=[digest], suite=[[0.9] * len(one["suite"][0])]))


@refused("target-a/better has the folder of another name than its method's, new")
def row_in_the_folder_of_another_name(clone, board, row):
    entered(row, board, "better")


@refused("target-a/n\u0435w has the folder of another name than its method's, new")
def row_in_a_folder_that_looks_like_its_name(clone, board, row):
    """Its second letter is Cyrillic."""
    entered(row, board, "n\u0435w")


@refused("left/record-epoch-1.json is removed; rows stay")
def row_in_the_place_of_another(clone, board, row):
    shutil.rmtree(board / ROWS / "left")
    entered(row, board, "left")


@refused("submission.json: method is 'random', expected another name", InvalidSubmissionError)
def floor_s_name(clone, board, row):
    edited(entered(row, board, "random") / METADATA_FILE, lambda one: one.update(method="random"))


@refused("target-a/new enters a policy that grid-world/target-a/up has already")
def policy_of_a_row_that_was_merged_meanwhile(clone, board, row):
    """The fork was made before that row came, and so has no other with its policy."""
    policy, record = ((board / ROWS / "up" / name).read_bytes() for name in ("policy-0.onnx", RECORD_FILE))
    digest = hashlib.sha256(policy).hexdigest()
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    new = entered(row, board)
    (new / "policy-0.onnx").write_bytes(policy)
    (new / RECORD_FILE).write_bytes(record)
    edited(new / METADATA_FILE, lambda one: one["runs"][0].update(policy_hash=digest))


@refused("seed 0 was trained at 1{40}, which the base's history does not have")
def training_at_a_commit_of_one_s_own(clone, board, row):
    trained(entered(row, board), "1" * 40)


@refused("training.commit is '[0-9a-f]+.changes', expected a commit without changes", InvalidSubmissionError)
def training_of_code_that_no_commit_holds(clone, board, row):
    trained(entered(row, board), git(clone, "rev-parse", "HEAD") + "+changes")


def trained(row: Path, commit: str) -> None:
    training = {"command": "procgen-bench train dqn grid-world/target-a", "commit": commit, "hardware": "none"}
    training |= {"wall_time_seconds": 1.0, "curve": []}
    edited(row / METADATA_FILE, lambda one: one["runs"][0].update(training=training))


@refused("reproduced.json marks a training, which no review runs; keepers push it themselves")
def training_marked_as_reproduced(clone, board, row):
    entry = find_entry(str(board / ROWS / "left"), board)
    mark = Reproduced(training_seed=0, policy=entry.record.policies[0], commit="1" * 40, machine="mine", by="bytes")
    (entry.folder / REPRODUCED_FILE).write_bytes(reproduced_json([mark]))


@refused("target-a/left: record-epoch-1.json is not the record that the row had")
def former_record_changed(clone, board, row):
    path = board / ROWS / "left" / archived_file(1)
    edited(path, lambda record: record.update(suite=[[0.9] * len(record["suite"][0])]))


@refused("target-a/left: record-epoch-2.json is not the record that the row had")
def former_record_invented(clone, board, row):
    folder = board / ROWS / "left"
    shutil.copy(folder / RECORD_FILE, folder / archived_file(2))


@refused("target-a/new: record-epoch-1.json is not the record that the row had")
def row_with_a_history(clone, board, row):
    """A former epoch in which it was never played."""
    new = entered(row, board)
    shutil.copy(new / RECORD_FILE, new / archived_file(1))


@refused("target-a/left: its record of epoch 2 changes; an epoch plays a row once")
def record_changed_within_its_epoch(clone, board, row):
    """On physics tracks a rival's score could be lowered by the tolerance."""
    edited(board / ROWS / "left" / RECORD_FILE, lambda record: record.update(machine="another"))


@refused("epoch 3 names other policies than the board had before it")
def epoch_that_leaves_a_rival_out(clone, board, row):
    """Who is left out would be provisional."""
    epochs = read_epochs(board)
    held = {name: policies[:1] for name, policies in epochs[-1].policies.items()}
    write_epochs([*epochs, begun(epochs, held)], board)


@refused("epoch 3 names other policies than the board had before it")
def epoch_of_one_s_own_where_all_rows_rank(clone, board, row):
    epochs = read_epochs(board)
    write_epochs([*epochs, begun(epochs, None)], board)


@refused("epochs.json: epochs.2. is .*, expected the salt [0-9a-f]{64}, which round 1000 gives", CorruptBoardError)
def salt_that_its_round_does_not_give(clone, board, row):
    begin_epoch(board, Beacon(chain="quicknet", round=1_000, value="7c" * 32))
    edited(board / EPOCHS_FILE, lambda content: content["epochs"][2].update(salt="ab" * 32))


@refused("epochs.json changes epochs that have begun, or adds more than one")
def salts_until_one_is_lucky(clone, board, row):
    begin_epoch(board)
    begin_epoch(board)


@refused("epochs.json changes epochs that have begun, or adds more than one")
def salt_replaced(clone, board, row):
    edited(board / EPOCHS_FILE, lambda content: content["epochs"][1].update(salt="ab" * 32))


@refused("has [0-9]+ bytes, expected at most 2147483648")
def files_that_fill_the_disk(clone, board, row):
    """One blob of zeros under many names: to send it costs nothing."""
    zeros = clone / "zeros"
    with zeros.open("wb") as file:
        file.truncate(60 * 2**20)
    blob = git(clone, "hash-object", "-w", "zeros")
    zeros.unlink()
    entered(row, board)
    for number in range(1, 40):
        name = f"{RESULTS / ROWS}/new/policy-{number}.onnx"
        git(clone, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    git(clone, "add", "-f", f"{RESULTS / ROWS}/new/{METADATA_FILE}")
    return committed_index(clone)


def committed_index(clone: Path) -> str:
    """The commit of what is in the index, and in no file."""
    git(clone, "commit", "-qm", "a change")
    return git(clone, "rev-parse", "HEAD")


@refused("policy-1.onnx has mode 160000, expected a plain file")
def policy_that_is_another_repository(clone, board, row):
    entered(row, board)
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "update-index", "--add", "--cacheinfo", f"160000,{head},{RESULTS / ROWS}/new/policy-1.onnx")
    git(clone, "add", "-f", f"{RESULTS / ROWS}/new/{METADATA_FILE}")
    return committed_index(clone)


@refused("changes the board and leaderboards/scoring/score.py; propose one without the other")
def scoring_that_is_changed_with_a_row(clone, board, row):
    entered(row, board)
    (clone / "leaderboards" / "scoring").mkdir()
    (clone / "leaderboards" / "scoring" / "score.py").write_text("def score(*_): return 1.0\n")


@refused("changes the board and .github/workflows/verify-submissions.yml; propose one without the other")
def workflow_that_is_changed_with_a_row(clone, board, row):
    entered(row, board)
    (clone / ".github" / "workflows").mkdir(parents=True)
    (clone / ".github" / "workflows" / "verify-submissions.yml").write_text("on: push\n")


@refused("submission.json has mode 120000, expected a plain file")
def metadata_linked_out_of_the_repository(clone, board, row):
    new = entered(row, board)
    (new / METADATA_FILE).unlink()
    os.symlink("/etc/passwd", new / METADATA_FILE)

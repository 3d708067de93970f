"""Changes to a board behind the verifier's back: edited, moved and planted entries."""

import json
import os
import shutil
from pathlib import Path

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import entries_folder
from procgen_bench.leaderboards.board.record import RECORD_FILE, VerifiedRecord
from procgen_bench.leaderboards.board.verifier import Verifier
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from tests.leaderboards.attacks.attack import BoardAttack

ATTACKS: list[BoardAttack] = []
UNSIGNED = "random: verified.json: signature is .*, expected that of a verifier that the board trusts"
ANOTHER = "random: submission.json: SHA-256 is .* which was verified"


def left_out(reason: str, **others):
    """The decorated function, given the entry's folder and the board's, makes a board leave an entry out."""

    def add(change):
        ATTACKS.append(BoardAttack(change.__name__, change, reason, **others))
        return change

    return add


def with_edit(name: str, file: str, old: str, new: str, reason: str):
    def edit(entry: Path, board: Path):
        text = (entry / file).read_text()
        assert old in text
        (entry / file).write_text(text.replace(old, new))

    ATTACKS.append(BoardAttack(name, edit, reason))


with_edit("record_with_another_score", RECORD_FILE, '"score":-0.', '"score":0.', UNSIGNED)
with_edit("record_with_other_scores", RECORD_FILE, '"scores":[[-0.', '"scores":[[0.', UNSIGNED)
with_edit("record_of_the_better_tier", RECORD_FILE, '"replayed"', '"re-run"', UNSIGNED)
with_edit("record_of_no_tier", RECORD_FILE, '"replayed"', '"believed"', UNSIGNED)
with_edit("record_with_fresh_scores", RECORD_FILE, '"fresh":null', '"fresh":{"score":0.9}', UNSIGNED)
with_edit("record_with_unknown_field", RECORD_FILE, '"score":', '"points":', UNSIGNED)
with_edit("record_of_more_unfinished", RECORD_FILE, '"unfinished_episodes":0', '"unfinished_episodes":1', UNSIGNED)
with_edit("record_written_otherwise", RECORD_FILE, '"score":', '"score": ', UNSIGNED)
with_edit("record_without_signature", RECORD_FILE, ',"signature":"', ',"sign":"', UNSIGNED)
with_edit("metadata_of_other_authors", METADATA_FILE, '"Tests"', '"Somebody else"', ANOTHER)
with_edit("metadata_without_method", METADATA_FILE, '"method"', '"mehtod"', ANOTHER)


def record(entry: Path) -> VerifiedRecord:
    return VerifiedRecord.model_validate_json((entry / RECORD_FILE).read_bytes())


@left_out(UNSIGNED)
def record_signed_by_a_stranger(entry, board):
    raised = record(entry).model_copy(update={"score": 0.9})
    (entry / RECORD_FILE).write_bytes(raised.signed(Verifier(key=bytes(32), secret=bytes(32))).to_json())


@left_out(UNSIGNED)
def record_that_names_the_trusted_verifier(entry, board):
    """A stranger's signature under a trusted name."""
    trusted = record(entry).verifier
    signed = record(entry).signed(Verifier(key=bytes(32), secret=bytes(32)))
    (entry / RECORD_FILE).write_bytes(signed.model_copy(update={"verifier": trusted}).to_json())


@left_out(ANOTHER)
def record_of_another_entry(entry, board):
    shutil.copy(entry.with_name("solver") / RECORD_FILE, entry)


@left_out("better: folder: name is 'better', expected random, its method's", remaining=("random", "solver"))
def entry_copied_to_another_name(entry, board):
    shutil.copytree(entry, entry.with_name("better"))


@left_out("better: folder: name is 'better', expected solver, its method's", remaining=("random", "solver"))
def entry_linked_to_another_name(entry, board):
    entry.with_name("better").symlink_to("solver")


@left_out(
    "random: submission.json: benchmark is 'grid-world/target-a v1', expected grid-world/target-b v1, where it lies",
    benchmark="grid-world/target-b",
    remaining=(),
)
def entry_moved_to_another_benchmark(entry, board):
    other = entries_folder(get_benchmark("grid-world/target-b"), board)
    other.mkdir(parents=True)
    entry.rename(other / entry.name)


@left_out(
    "random: submission.json: benchmark is 'grid-world/target-a v1', expected grid-world/target-a v0, where it lies",
    version=0,
    remaining=(),
)
def entry_moved_to_a_former_version(entry, board):
    entry.parent.with_name("v0").mkdir()
    entry.rename(entry.parent.with_name("v0") / entry.name)


@left_out(r"random: folder: content is 'verified.json \(missing\)'")
def entry_without_a_record(entry, board):
    (entry / RECORD_FILE).unlink()


@left_out("random: folder: content is 'evil.html', expected only")
def entry_with_another_file(entry, board):
    (entry / "evil.html").write_text("<script>")


@left_out("random: folder: content is 'policy-0.onnx', expected no policies")
def entry_with_a_policy_that_was_not_verified(entry, board):
    (entry / "policy-0.onnx").write_bytes(b"better policy")


@left_out(r"notes.txt: folder: path is .* expected a readable folder", remaining=("random", "solver"))
def file_for_an_entry(entry, board):
    entry.with_name("notes.txt").write_text("hello")


@left_out(
    r"^'\\x1b\[2J\\nevil\\udcff': folder: content is 'submission.json \(missing\)'", remaining=("random", "solver")
)
def entry_whose_name_rules_the_terminal(entry, board):
    (entry.parent / os.fsdecode(b"\x1b[2J\nevil\xff")).mkdir()


@left_out("random: verified.json: file is 'no regular file', expected a regular file")
def record_is_a_pipe(entry, board):
    (entry / RECORD_FILE).unlink()
    os.mkfifo(entry / RECORD_FILE)


@left_out("random: verified.json: file is 'a link', expected a regular file")
def record_linked_to_an_endless_device(entry, board):
    (entry / RECORD_FILE).unlink()
    (entry / RECORD_FILE).symlink_to("/dev/zero")


@left_out("random: verified.json: size in bytes is 100000000000, expected at most 33554432")
def record_of_100_gigabytes(entry, board):
    with (entry / RECORD_FILE).open("r+b") as file:
        file.truncate(100 * 10**9)


@left_out("random: submission.json: size in bytes is 300000, expected at most 262144")
def metadata_beyond_the_limit(entry, board):
    (entry / METADATA_FILE).write_bytes(b" " * 300_000)


@left_out(UNSIGNED, mebibytes=72)
def record_of_sixteen_million_numbers(entry, board):
    """As large as it may be: parsed, it would take gigabytes."""
    raw = (entry / RECORD_FILE).read_bytes()
    start = raw.index(b'"scores":[') + len(b'"scores":[')
    numbers = b"[" + b"0," * ((2**25 - len(raw) - 16) // 2) + b"0],"
    (entry / RECORD_FILE).write_bytes(raw[:start] + numbers + raw[start:])


@left_out(UNSIGNED)
def record_nested_deeply(entry, board):
    (entry / RECORD_FILE).write_bytes(b"[" * 100_000)


@left_out(UNSIGNED)
def record_of_another_board_with_its_key_inside(entry, board):
    """The record brings the list of those whom it should be believed by."""
    content = json.loads((entry / RECORD_FILE).read_text())
    (entry / RECORD_FILE).write_text(json.dumps({**content, "verifiers": [content["verifier"]]}))

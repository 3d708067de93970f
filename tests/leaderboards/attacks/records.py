"""Changes to a board behind the verifier's back: edited, moved and planted entries."""

import os
import shutil
from pathlib import Path

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import entries_folder
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from tests.leaderboards.attacks.attack import BoardAttack

ATTACKS: list[BoardAttack] = []


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


with_edit("record_with_unknown_field", RECORD_FILE, '"epoch":', '"score":0.9,"epoch":', "unknown field score is 0.9")
with_edit(
    "record_without_a_field", RECORD_FILE, '"unfinished":', '"points":', "random: record.json: content is 'unfinished"
)
with_edit("record_written_otherwise", RECORD_FILE, '"epoch":', '"epoch": ', "random: record.json: form is")
with_edit(
    "record_of_an_epoch_to_come",
    RECORD_FILE,
    '"epoch":1',
    '"epoch":2',
    "epoch is 2, expected one that has begun",
)
with_edit("record_of_no_epoch", RECORD_FILE, '"epoch":1', '"epoch":0', "random: record.json: epoch is 0")
with_edit("record_of_another_form", RECORD_FILE, '"schema_version":1', '"schema_version":2', "schema_version is 2")
with_edit("record_of_infinite_scores", RECORD_FILE, '"suite":[[-0.', '"suite":[[Infinity,0.', "number is 'Infinity'")
with_edit(
    "metadata_without_method", METADATA_FILE, '"method"', '"mehtod"', "random: submission.json: content is 'method"
)


@left_out("random: record.json: policies is .*, expected those of submission.json")
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


@left_out(r"random: folder: content is 'record.json \(missing\)'")
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


@left_out("random: record.json: file is 'no regular file', expected a regular file")
def record_is_a_pipe(entry, board):
    (entry / RECORD_FILE).unlink()
    os.mkfifo(entry / RECORD_FILE)


@left_out("random: record.json: file is 'a link', expected a regular file")
def record_linked_to_an_endless_device(entry, board):
    (entry / RECORD_FILE).unlink()
    (entry / RECORD_FILE).symlink_to("/dev/zero")


@left_out("random: record.json: size in bytes is 100000000000, expected at most 50331648")
def record_of_100_gigabytes(entry, board):
    with (entry / RECORD_FILE).open("r+b") as file:
        file.truncate(100 * 10**9)


@left_out("random: submission.json: size in bytes is 300000, expected at most 262144")
def metadata_beyond_the_limit(entry, board):
    (entry / METADATA_FILE).write_bytes(b" " * 300_000)


@left_out("random: record.json: nesting is")
def record_nested_deeply(entry, board):
    (entry / RECORD_FILE).write_bytes(b"[" * 100_000)

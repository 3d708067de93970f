"""Things planted on a board, which the next submit comes upon."""

import os
from pathlib import Path

from procgen_bench.leaderboards.board.submitting import LOCK_FILE
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE
from procgen_bench.leaderboards.submission.plain_folder import UNFINISHED_PREFIX
from tests.leaderboards.attacks.attack import Obstacle

ATTACKS: list[Obstacle] = []


def stopping(refusal: str | None, **others):
    """The decorated function, given the board and a folder beside it, plants an obstacle."""

    def add(plant):
        ATTACKS.append(Obstacle(plant.__name__, plant, refusal, **others))
        return plant

    return add


@stopping(None)
def leftover_is_a_file(board, beside):
    (board / f"{UNFINISHED_PREFIX}x").write_text("hello")


@stopping(None)
def leftover_is_a_pipe(board, beside):
    os.mkfifo(board / f"{UNFINISHED_PREFIX}x")


@stopping(None)
def leftover_is_linked_elsewhere(board, beside):
    (board / f"{UNFINISHED_PREFIX}x").symlink_to(beside)


@stopping(None)
def leftover_is_linked_to_nothing(board, beside):
    (board / f"{UNFINISHED_PREFIX}x").symlink_to("nowhere")


@stopping(None)
def leftover_holds_a_link(board, beside):
    (board / f"{UNFINISHED_PREFIX}x").mkdir()
    (board / f"{UNFINISHED_PREFIX}x" / "more").symlink_to(beside)


@stopping(r"^\[Errno \d+\] .*\.lock", error=OSError)
def lock_is_linked_elsewhere(board, beside):
    (board / LOCK_FILE).unlink()
    (board / LOCK_FILE).symlink_to(beside / "precious")


@stopping(r"^\[Errno \d+\] .*\.lock", error=OSError)
def lock_is_a_folder(board, beside):
    (board / LOCK_FILE).unlink()
    (board / LOCK_FILE).mkdir()


def with_epochs(name: str, content: str, fault: str):
    def plant(board: Path, beside: Path):
        (board / EPOCHS_FILE).write_text(content)

    ATTACKS.append(Obstacle(name, plant, f"epochs.json: {fault}"))


with_epochs("epochs_are_no_json", "{", "text at line 1, column 2")
with_epochs("epochs_of_no_list", '{"epochs": "mine"}', "epochs is 'mine'")
with_epochs("epochs_nested_deeply", "[" * 60_000, "nesting is")
with_epochs("epochs_beyond_the_limit", " " * 17_000_000, "size in bytes is 17000000, expected at most 16777216")


@stopping("epochs.json: file is 'prw.*', expected a regular file")
def epochs_are_a_pipe(board, beside):
    (board / EPOCHS_FILE).unlink()
    os.mkfifo(board / EPOCHS_FILE)


@stopping("epochs.json: file is 'Too many levels.*', expected a readable regular file, not a link")
def epochs_linked_to_an_endless_device(board, beside):
    (board / EPOCHS_FILE).unlink()
    (board / EPOCHS_FILE).symlink_to("/dev/zero")

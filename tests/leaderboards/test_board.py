import datetime
import json
import multiprocessing
import os
import random
import signal
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from procgen_bench.leaderboards import board as board_module
from procgen_bench.leaderboards import plain_folder
from procgen_bench.leaderboards.board import (
    default_board,
    read_entries,
    read_entry_submission,
    submit,
)
from procgen_bench.leaderboards.errors import BoardBusyError, CorruptBoardError, DuplicateEntryError
from procgen_bench.leaderboards.submission import read_submission
from procgen_bench.leaderboards.table import read_table
from procgen_bench.leaderboards.verification import verify

FORK = multiprocessing.get_context("fork")  # workers start with everything imported and compiled


@pytest.fixture(scope="module")
def solved(play, target):
    """A solver's submission for target A."""
    return read_submission(play(target, "solver"))


@pytest.fixture
def honest_folders(solved, renamed, written):
    """honest_folders(n) -> n folders of honest submissions of different methods."""
    return lambda number: [written(renamed(solved, index)) for index in range(number)]


def assert_whole(target, board):
    """Every entry of the board can be read, and its replay gives the score that the board shows."""
    for entry in read_entries(target, board):
        assert sorted(path.name for path in entry.folder.iterdir()) == [
            "submission.json",
            "traces.npz",
            "verified.json",
        ]
        assert verify(read_entry_submission(entry)).score == entry.record.score
    return {entry.metadata.method for entry in read_entries(target, board)}


def test_entry_holds_submission_and_what_was_found(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path / "board", submitted_on=datetime.date(2026, 2, 3))
    assert entry.folder == tmp_path / "board" / "grid-world" / "target-a" / "random"
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


def test_default_board_belongs_to_the_package():
    assert default_board().name == "results"
    assert default_board().parent.name == "leaderboards"


def test_table_ranks_tiers_then_scores_and_shows_oracles_unranked(play, solved, renamed, written, target, tmp_path):
    board = tmp_path / "board"
    for policy in ("null", "constant", "random", "solver"):
        submit(play(target, policy), board)
    submit(written(renamed(solved, 1)), board)
    submit(written(renamed(solved, 2)), board)
    rows = read_table(target, board)
    assert [(row.rank, row.entry.name) for row in rows] == [
        (1, "method-1"),
        (1, "method-2"),
        (None, "solver"),
        (3, "constant"),
        (4, "random"),
        (5, "null"),
    ]
    assert all(row.entry.record.score == pytest.approx(row.summary.mean.value) for row in rows)
    assert rows[-1].entry.record.score == target.minimum
    record = board / "grid-world" / "target-a" / "null" / "verified.json"
    record.write_text(record.read_text().replace('"replayed"', '"re-run"'))
    rows = read_table(target, board)
    assert [(row.rank, row.entry.name) for row in rows][:2] == [(1, "null"), (2, "method-1")]


def test_table_leaves_out_older_versions(random_folder, target, tmp_path):
    entry = submit(random_folder, tmp_path)
    path = entry.folder / "submission.json"
    path.write_text(path.read_text().replace('"benchmark_version": 1', '"benchmark_version": 0'))
    assert read_table(target, tmp_path) == []
    assert len(read_entries(target, tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("verified.json", '"score":', '"points":', "unknown field points|content is 'score"),
        ("verified.json", '"scores":[[', '"scores":[[0.5],[0.5],[', "rows of scores is"),
        ("verified.json", '"scores":[[', '"scores":[[],[', "rows of scores is|scores"),
        ("verified.json", '"replayed"', '"believed"', "tier is 'believed'"),
        ("submission.json", '"method"', '"mehtod"', r"content is 'method \(missing\)'"),
    ],
)
def test_entry_that_cannot_be_read_is_named(random_folder, target, tmp_path, file, old, new, message):
    path = submit(random_folder, tmp_path).folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CorruptBoardError, match=message) as corrupt:
        read_entries(target, tmp_path)
    assert "restore or remove it" in str(corrupt.value) and "\n" not in str(corrupt.value)


def test_entry_without_a_file_is_named(random_folder, target, tmp_path):
    (submit(random_folder, tmp_path).folder / "traces.npz").unlink()
    with pytest.raises(CorruptBoardError, match=r"traces.npz \(missing\)"):
        read_table(target, tmp_path)


def test_held_board_is_waited_for_and_then_reported(random_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(board_module, "_LOCK_TIMEOUT_SECONDS", 0.2)
    with board_module._locked(tmp_path), pytest.raises(BoardBusyError, match=r"has held .*\.lock for 0.2 s"):
        submit(random_folder, tmp_path)
    submit(random_folder, tmp_path)


def test_fifty_concurrent_submits_are_neither_lost_nor_doubled(honest_folders, target, tmp_path):
    """Fifty methods, every one submitted twice, four at a time."""
    folders = honest_folders(50)
    order = [*folders, *folders]
    random.Random(3).shuffle(order)
    with ProcessPoolExecutor(4, mp_context=FORK) as workers:
        accepted = list(workers.map(accepts, order, [tmp_path] * len(order)))
    assert sum(accepted) == 50
    assert assert_whole(target, tmp_path) == {f"Method {number}" for number in range(50)}
    assert len(read_entries(target, tmp_path)) == 50
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "grid-world"]


def accepts(folder, board) -> bool:
    """Submit; whether the board took it (it refuses what it has)."""
    try:
        submit(folder, board)
    except DuplicateEntryError:
        return False
    return True


#: What a submit calls to change the disk; a process that dies before one of these calls dies amid its changes.
CHANGING_CALLS = ("mkdir", "fsync", "chmod", "rename", "unlink", "rmdir")


def submit_and_die(folder, board, last_call: int):
    """Submit, and die by SIGKILL after the given number of calls that change the disk under the lock."""
    calls = 0

    def counted(function):
        def call(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls > last_call:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    sweep = board_module.remove_unfinished

    def armed(staging):  # the first thing that is done under the lock
        for name in CHANGING_CALLS:
            setattr(os, name, counted(getattr(os, name)))
        sweep(staging)

    board_module.remove_unfinished = armed
    submit(folder, board)


def test_submit_killed_at_every_call_leaves_a_whole_board(honest_folders, target, tmp_path):
    """Die at the first call, the second ... until a submit gets through; the board is whole each time."""
    first, *others = honest_folders(30)
    submit(first, tmp_path)
    present, leftovers = {"Method 0"}, 0
    for call, folder in enumerate(others):
        process = FORK.Process(target=submit_and_die, args=(folder, tmp_path, call))
        process.start()
        process.join(60)
        leftovers += any(tmp_path.glob(f"{plain_folder.UNFINISHED_PREFIX}*"))
        found = assert_whole(target, tmp_path)
        assert present <= found and len(found - present) <= 1
        present = found
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
    assert process.exitcode == 0 and call >= 8  # the calls were counted, and the last submit made them all
    assert leftovers > 3  # some died with a folder half written
    assert not any(tmp_path.glob(f"{plain_folder.UNFINISHED_PREFIX}*"))  # and the next one swept it up
    assert f"Method {call + 1}" in present


def submit_slowly(folder, board, begun):
    """Submit with a disk so slow that nearly all the time is spent in writing; `begun` is set by the first write."""
    synced = os.fsync

    def slow(descriptor):
        begun.set()
        time.sleep(0.05)
        synced(descriptor)

    os.fsync = slow
    submit(folder, board)


def test_submit_killed_at_twenty_random_moments_leaves_a_whole_board(honest_folders, target, tmp_path):
    folders = honest_folders(22)
    submit(folders[0], tmp_path)
    moments = random.Random(11)
    present, killed = {"Method 0"}, 0
    for folder in folders[1:21]:
        begun = FORK.Event()
        process = FORK.Process(target=submit_slowly, args=(folder, tmp_path, begun))
        process.start()
        assert begun.wait(60)
        time.sleep(moments.uniform(0, 0.25))
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        found = assert_whole(target, tmp_path)
        assert present <= found and len(found - present) <= 1
        present = found
    assert killed > 5
    submit(folders[21], tmp_path)
    assert assert_whole(target, tmp_path) == present | {"Method 21"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "grid-world"]


def test_killed_submit_can_be_repeated(honest_folders, target, tmp_path):
    (folder,) = honest_folders(1)
    process = FORK.Process(target=submit_and_die, args=(folder, tmp_path, 4))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert read_entries(target, tmp_path) == []
    submit(folder, tmp_path)
    assert assert_whole(target, tmp_path) == {"Method 0"}


def test_disk_that_refuses_leaves_nothing(random_folder, target, tmp_path, monkeypatch, tree_hash):
    (tmp_path / ".lock").touch()
    before = tree_hash(tmp_path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        submit(random_folder, tmp_path)
    assert tree_hash(tmp_path) == before


def test_record_is_readable_json(random_folder, tmp_path):
    entry = submit(random_folder, tmp_path)
    record = json.loads((entry.folder / "verified.json").read_text())
    assert record["tier"] == "replayed"
    assert "numpy" in record["package_versions"]
    assert datetime.date.fromisoformat(record["submitted_on"])

"""Many submits at a time, and submits that die: none is lost, none is doubled, and the board is whole."""

import hashlib
import multiprocessing
import os
import random
import signal
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

from procgen_bench.leaderboards.board import submitting
from procgen_bench.leaderboards.board.board import board_contents, read_entries, stored_submission
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import DuplicateEntryError
from procgen_bench.leaderboards.submission import plain_folder
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.verification.verification import verify

FILES = ["record.json", "submission.json", "traces.npz"]
BOARD = [".lock", "epochs.json", "grid-world"]
FORK = multiprocessing.get_context("fork")  # workers start with everything imported and compiled


@pytest.fixture(scope="module")
def honest_folders(random_folder, renamed, written):
    """honest_folders(n) -> n folders of honest submissions of different methods."""
    solved = read_submission(random_folder)
    return lambda number: [written(renamed(solved, index)) for index in range(number)]


class Watch:
    """Looks at a board again and again: what was there must still be there, and more than one must not have come."""

    def __init__(self, board, benchmark):
        self.board, self.benchmark = board, benchmark
        self.methods: set[str] = set()
        self._scores: dict[str, float] = {}

    def look(self, most_new: int = 1) -> set[str]:
        """The methods on the board, each of which can be read and replayed."""
        contents = board_contents(self.benchmark, self.board)
        assert contents.unreadable == []
        for entry in contents.entries:
            assert sorted(path.name for path in entry.folder.iterdir()) == [
                "record.json",
                "submission.json",
                "traces.npz",
            ]
            assert entry.scores.mean() == pytest.approx(self._replayed(entry), abs=1e-12)
        found = {entry.metadata.method for entry in contents.entries}
        assert len(found) == len(contents.entries)
        assert self.methods <= found and len(found - self.methods) <= most_new
        self.methods = found
        return found

    def _replayed(self, entry) -> float:
        """What an entry's traces score; those that are the same as before, by their content, score the same."""
        submission = stored_submission(entry.folder)
        address = hashlib.sha256(submission.recorded.actions.tobytes()).hexdigest()
        if address not in self._scores:
            self._scores[address] = verify(submission)[0].score
        return self._scores[address]


@pytest.fixture
def watch(target, tmp_path):
    return Watch(tmp_path, target)


@pytest.mark.parametrize(("methods", "processes"), [(50, 4), pytest.param(200, 8, marks=pytest.mark.slow)])
def test_concurrent_submits_are_neither_lost_nor_doubled(methods, processes, honest_folders, target, watch, tmp_path):
    """So many methods, every one submitted twice, by several processes at a time."""
    folders = honest_folders(methods)
    order = [*folders, *folders]
    random.Random(3).shuffle(order)
    with ProcessPoolExecutor(processes, mp_context=FORK) as workers:
        accepted = list(workers.map(accepts, order, [tmp_path] * len(order)))
    assert sum(accepted) == methods
    assert watch.look(most_new=methods) == {f"Method {number}" for number in range(methods)}
    assert sorted(path.name for path in tmp_path.iterdir()) == BOARD


def accepts(folder, board) -> bool:
    """Submit; whether the board took it (it refuses what it has)."""
    try:
        submit(folder, board)
    except DuplicateEntryError:
        return False
    return True


#: What a submit calls to change the disk; a process that dies before one of these calls dies amid its changes.
CHANGING_CALLS = ("mkdir", "fsync", "chmod", "rename", "replace", "unlink", "rmdir")


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

    sweep = submitting.remove_unfinished

    def armed(staging):  # the first thing that is done under the lock
        for name in CHANGING_CALLS:
            setattr(os, name, counted(getattr(os, name)))
        sweep(staging)

    submitting.remove_unfinished = armed
    submit(folder, board)


def assert_swept(board):
    """Nothing is left of submits that died."""
    assert sorted(path.name for path in board.iterdir()) == BOARD


def test_submit_killed_at_every_call_leaves_a_whole_board(honest_folders, watch, tmp_path):
    """Die at the first call, the second ... until a submit gets through; the board is whole each time."""
    first, *others = honest_folders(30)
    submit(first, tmp_path)
    watch.look()
    leftovers = 0
    for call, folder in enumerate(others):
        process = FORK.Process(target=submit_and_die, args=(folder, tmp_path, call))
        process.start()
        process.join(60)
        leftovers += any(tmp_path.glob(f"{plain_folder.UNFINISHED_PREFIX}*"))
        watch.look()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
    assert process.exitcode == 0 and call >= 8  # the calls were counted, and the last submit made them all
    assert leftovers > 3  # some died with a folder half written
    assert f"Method {call + 1}" in watch.methods
    assert_swept(tmp_path)  # by the one that got through


def submit_slowly(folder, board, begun):
    """Submit with a disk so slow that nearly all the time is spent in writing; `begun` is set by the first write."""
    synced = os.fsync

    def slow(descriptor):
        begun.set()
        time.sleep(0.05)
        synced(descriptor)

    os.fsync = slow
    submit(folder, board)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [8, 200])
def test_submits_killed_at_random_moments_leave_a_whole_board(kills, honest_folders, watch, tmp_path):
    first, *others, last = honest_folders(kills + 2)
    submit(first, tmp_path)
    watch.look()
    moments, killed = random.Random(11), 0
    for folder in others:
        begun = FORK.Event()
        process = FORK.Process(target=submit_slowly, args=(folder, tmp_path, begun))
        process.start()
        assert begun.wait(60)
        time.sleep(moments.uniform(0, 0.25))
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        watch.look()
    assert killed > kills / 4
    submit(last, tmp_path)
    assert f"Method {kills + 1}" in watch.look()
    assert_swept(tmp_path)
    print(f"{killed} of {kills} submits killed, {len(watch.methods)} entries")  # pytest -rP shows it


def test_killed_submit_can_be_repeated(honest_folders, target, watch, tmp_path):
    (folder,) = honest_folders(1)
    process = FORK.Process(target=submit_and_die, args=(folder, tmp_path, 4))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert read_entries(target, tmp_path) == []
    submit(folder, tmp_path)
    assert watch.look() == {"Method 0"}

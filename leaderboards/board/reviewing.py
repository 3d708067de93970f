"""Reviewing a pull request: what it changes of the board, taken as data, and scored by the code that reviews.

Nothing of the change is run, imported or checked out. A change of results may add rows, or begin an epoch; every row
that it touches is scored again, and its record compared.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.auditing import audit
from procgen_bench.leaderboards.board.beginning import row_folders
from procgen_bench.leaderboards.board.board import Entry, find_entry, read_entries
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE
from procgen_bench.leaderboards.board.submitting import check_clean
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE, read_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.submission.folder import MAX_POLICY_BYTES
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, parse_metadata

RESULTS = PurePosixPath("leaderboards/results")
#: How many files are taken out of a commit.
_MAX_FILES = 20_000
_PLAIN_FILE = "100644"


class ReviewError(ProcgenBenchError):
    """A change of the board that is not allowed."""


@dataclass(frozen=True)
class Change:
    """What a pull request changes.

    Attributes:
        added: Folders of rows that it adds, below the results.
        replayed: Folders of rows whose records it changes.
        begins_epoch: Whether it changes the list of epochs.
    """

    added: tuple[PurePosixPath, ...] = ()
    replayed: tuple[PurePosixPath, ...] = ()
    begins_epoch: bool = False


def read_change(repository: Path, base: str, head: str) -> Change:
    """What the commits from ``base`` to ``head`` change of the board; nothing where they change other things alone.

    Raises:
        ReviewError: They change the board and something else at once, remove something from it, or change a row.
    """
    listed = _git(repository, "diff", "--name-status", "--no-renames", "-z", f"{base}...{head}").decode().split("\0")
    changed = {PurePosixPath(path): status for status, path in zip(listed[0::2], listed[1::2])}
    inside = {path.relative_to(RESULTS): status for path, status in changed.items() if path.is_relative_to(RESULTS)}
    foreign = [path for path in changed if not path.is_relative_to(RESULTS)]
    if inside and foreign:
        raise ReviewError(f"it changes the board and {min(foreign)}; propose one without the other")
    touched, new = set[PurePosixPath](), set[PurePosixPath]()
    for path, status in inside.items():
        if path == PurePosixPath(EPOCHS_FILE):
            continue
        if len(path.parts) != 5:
            raise ReviewError(f"{RESULTS / path} is no file of a row, expected TRACK/NAME/vVERSION/METHOD/FILE")
        if status == "D":
            raise ReviewError(f"{RESULTS / path} is removed; rows stay")
        (new if path.name == METADATA_FILE and status == "A" else touched).add(path.parent)
    for path in inside:
        is_record = path.name == RECORD_FILE or path.name.startswith("record-epoch-")
        if path.parent in new and path.name == REPRODUCED_FILE:
            raise ReviewError(f"{RESULTS / path} comes with its row; keepers add it when they have trained it again")
        if len(path.parts) == 5 and path.parent not in new and not is_record and path.name != REPRODUCED_FILE:
            raise ReviewError(f"{RESULTS / path} changes a row that is there; enter a new row instead")
    begins = PurePosixPath(EPOCHS_FILE) in inside
    if new and begins:
        raise ReviewError(f"it begins an epoch and adds {min(new)}; propose one without the other")
    return Change(tuple(sorted(new)), tuple(sorted(touched - new)), begins)


@contextmanager
def taken_out(repository: Path, commit: str, folder: PurePosixPath) -> Iterator[Path]:
    """The plain files of a commit's folder, in a folder of their own; gone afterwards.

    Raises:
        ReviewError: Something in it is a link, a program or too large.
    """
    with tempfile.TemporaryDirectory() as scratch:
        listed = _git(repository, "ls-tree", "-r", "-z", "--long", commit, "--", f"{folder}/").decode().split("\0")[:-1]
        if len(listed) > _MAX_FILES:
            raise ReviewError(f"{folder} has {len(listed)} files, expected at most {_MAX_FILES}")
        for line in listed:
            (mode, kind, blob, size), path = line.partition("\t")[0].split(), PurePosixPath(line.partition("\t")[2])
            if mode != _PLAIN_FILE or kind != "blob":
                raise ReviewError(f"{path} has mode {mode}, expected a plain file")
            if int(size) > MAX_POLICY_BYTES:
                raise ReviewError(f"{path} has {size} bytes, expected at most {MAX_POLICY_BYTES}")
            target = Path(scratch, *path.relative_to(folder).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, _git(repository, "cat-file", "blob", blob))
        yield Path(scratch)


def review(repository: Path, base: str, head: str, workers: Workers = None) -> Iterator[Entry]:
    """Score every row again that a change touches; yields those whose records agree.

    Raises:
        ReviewError: The change is not allowed.
        CorruptBoardError: Its list of epochs does not hold.
        InvalidSubmissionError: A row is not as it must be.
        AuditError: A record is not what scoring makes.
        TooSlowHereError: A policy takes too long on this machine.
    """
    change = read_change(repository, base, head)
    if not (change.added or change.replayed or change.begins_epoch):
        return
    with taken_out(repository, base, RESULTS) as before, taken_out(repository, head, RESULTS) as after:
        _check_epochs(before, after)
        for folder in change.added:
            _check_new(find_entry(str(after / folder), after))
        for folder in (*change.added, *change.replayed):
            entry = find_entry(str(after / folder), after)
            audit(entry, workers)
            yield entry


def _check_epochs(before: Path, after: Path) -> None:
    """Refuse a list of epochs that takes one back, adds more than one, or ranks policies that were not there."""
    former, now = read_epochs(before), read_epochs(after)
    if now[: len(former)] != former or len(now) > len(former) + 1:
        raise ReviewError(f"{EPOCHS_FILE} changes epochs that have begun, or adds more than one")
    held = {run.policy_hash for row in row_folders(before) for run in _metadata(row).runs}
    for epoch in now[len(former) :]:
        if epoch.policies is None or not held.issuperset(epoch.policies):
            raise ReviewError(
                f"{EPOCHS_FILE}: epoch {epoch.number} names policies that were not on the board before it"
            )


def _check_new(entry: Entry) -> None:
    """Refuse a row that could not have been submitted."""
    check_clean(entry.metadata)
    if not entry.is_newest:
        raise ReviewError(f"{entry.row}: its record is of epoch {entry.epoch.number}, which is not the newest")
    hashes = set(entry.record.policies)
    for other in read_entries(entry.benchmark, entry.board):
        if other.name == entry.name:
            continue
        if look(other.name) == look(entry.name):
            raise ReviewError(f"{entry.row} looks like the row {other.name!r}")
        if hashes & set(other.record.policies):
            raise ReviewError(f"{entry.row} enters a policy that {other.row} has already")


def _metadata(folder: Path):
    return parse_metadata((folder / METADATA_FILE).read_bytes())


def _git(repository: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, check=False)
    if done.returncode:
        raise ReviewError(f"git {words[0]} fails: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return done.stdout

"""Reviewing a pull request: what it changes of the board, taken as data, and scored by the code that reviews.

Nothing of the change is run, imported or checked out. A change of results may add rows, or begin an epoch; every row
that it touches is scored again, and its record compared. What a review cannot make again, it refuses.
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
from procgen_bench.leaderboards.board.beginning import held_policies
from procgen_bench.leaderboards.board.board import Entry, find_entry, read_entries
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE
from procgen_bench.leaderboards.board.retraining import is_ancestor
from procgen_bench.leaderboards.board.submitting import check_clean, check_name
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE, Epoch, read_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE, archived_file, parse_record
from procgen_bench.leaderboards.submission.folder import MAX_POLICY_BYTES
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE

RESULTS = PurePosixPath("leaderboards/results")
#: How many files are taken out of a commit, and of how many bytes together.
_MAX_FILES, _MAX_BYTES = 20_000, 2 * 2**30
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
        if path.name == REPRODUCED_FILE:
            raise ReviewError(f"{RESULTS / path} marks a training, which no review runs; keepers push it themselves")
        if len(path.parts) == 5 and path.parent not in new and not is_record:
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
        for path, blob in _plain_files(repository, commit, folder):
            target = Path(scratch, *path.relative_to(folder).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, _git(repository, "cat-file", "blob", blob))
        yield Path(scratch)


def _plain_files(repository: Path, commit: str, folder: PurePosixPath) -> list[tuple[PurePosixPath, str]]:
    """Paths and blobs of the files in a commit's folder, none of which has been read."""
    listed = _git(repository, "ls-tree", "-r", "-z", "--long", commit, "--", f"{folder}/").decode().split("\0")[:-1]
    if len(listed) > _MAX_FILES:
        raise ReviewError(f"{folder} has {len(listed)} files, expected at most {_MAX_FILES}")
    files, total = [], 0
    for line in listed:
        (mode, kind, blob, size), path = line.partition("\t")[0].split(), PurePosixPath(line.partition("\t")[2])
        if mode != _PLAIN_FILE or kind != "blob":
            raise ReviewError(f"{path} has mode {mode}, expected a plain file")
        if int(size) > MAX_POLICY_BYTES:
            raise ReviewError(f"{path} has {size} bytes, expected at most {MAX_POLICY_BYTES}")
        files.append((path, blob))
        total += int(size)
    if total > _MAX_BYTES:
        raise ReviewError(f"{folder} has {total} bytes, expected at most {_MAX_BYTES}")
    return files


def review(repository: Path, base: str, head: str, workers: Workers = None) -> Iterator[Epoch | Entry]:
    """Score every row again that a change touches; yields the epoch that it begins, and the rows whose records agree.

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
        yield from _begun_epochs(before, after)
        for folder in change.added:
            _check_new(find_entry(str(after / folder), after), before, repository, base)
        for folder in (*change.added, *change.replayed):
            entry = find_entry(str(after / folder), after)
            _check_records(entry, before / folder)
            audit(entry, workers)
            yield entry


def _begun_epochs(before: Path, after: Path) -> list[Epoch]:
    """The epoch that a change begins, if it begins one.

    Raises:
        ReviewError: It takes one back, begins more than one, or ranks other policies than those that were there.
    """
    former, now = read_epochs(before), read_epochs(after)
    if now[: len(former)] != former or len(now) > len(former) + 1:
        raise ReviewError(f"{EPOCHS_FILE} changes epochs that have begun, or adds more than one")
    begun = now[len(former) :]
    held = {name: sorted(set(policies)) for name, policies in held_policies(before).items()}
    for epoch in begun:
        if epoch.policies != held:
            raise ReviewError(f"{EPOCHS_FILE}: epoch {epoch.number} names other policies than the board had before it")
    return begun


def _check_records(entry: Entry, former: Path) -> None:
    """Refuse a record that changes within its epoch, and former ones that are not what they were."""
    expected = {path.name: path.read_bytes() for path in former.glob("record-epoch-*.json")}
    if (former / RECORD_FILE).exists():
        replaced = parse_record((former / RECORD_FILE).read_bytes())
        if replaced.epoch < entry.record.epoch:
            expected[archived_file(replaced.epoch)] = replaced.to_json()
        elif replaced != entry.record:
            raise ReviewError(f"{entry.row}: its record of epoch {replaced.epoch} changes; an epoch plays a row once")
    for name in sorted({path.name for path in entry.folder.glob("record-epoch-*.json")} | expected.keys()):
        found = (entry.folder / name).read_bytes() if (entry.folder / name).exists() else None
        if found != expected.get(name):
            raise ReviewError(f"{entry.row}: {name} is not the record that the row had")


def _check_new(entry: Entry, before: Path, repository: Path, base: str) -> None:
    """Refuse a row that could not have been submitted to the board, as it is now and as the change leaves it."""
    if entry.name != entry.metadata.entry_name:
        raise ReviewError(f"{entry.row} has the folder of another name than its method's, {entry.metadata.entry_name}")
    check_clean(entry.metadata)
    check_name(entry.metadata)
    _check_commits(entry, repository, base)
    if not entry.is_newest:
        raise ReviewError(f"{entry.row}: its record is of epoch {entry.epoch.number}, which is not the newest")
    hashes = set(entry.record.policies)
    others = [one for one in read_entries(entry.benchmark, entry.board) if one.name != entry.name]
    for other in (*read_entries(entry.benchmark, before), *others):
        if look(other.name) == look(entry.name):
            raise ReviewError(f"{entry.row} looks like the row {other.name!r}")
        if hashes & set(other.record.policies):
            raise ReviewError(f"{entry.row} enters a policy that {other.row} has already")


def _check_commits(entry: Entry, repository: Path, base: str) -> None:
    """Refuse a training at a commit that is not in the base's history: its code has not been reviewed."""
    for run in entry.metadata.runs:
        commit = None if run.training is None else run.training.commit
        if commit is not None and not is_ancestor(repository, commit, base):
            raise ReviewError(
                f"{entry.row}: seed {run.training_seed} was trained at {commit}, which the base's history does not have"
            )


def _git(repository: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, check=False)
    if done.returncode:
        raise ReviewError(f"git {words[0]} fails: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return done.stdout

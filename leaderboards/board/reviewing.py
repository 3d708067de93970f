"""Reviewing a pull request: what it changes of the board, taken as data, and verified by the code that reviews.

A change is a proposal, the folder of a submission and nothing else; or it is a keeper's, of results, under the board's
root of trust, and nothing else but the proposals that it moves. Nothing of the change is run, imported or checked out.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.board.auditing import audit, find_entry
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.known_runs import KNOWN_RUNS_FILE, known_runs
from procgen_bench.leaderboards.board.trust import PUBLISHED_ROOT, TRUST_FILE, TrustFile, read_trust
from procgen_bench.leaderboards.submission.folder import MAX_POLICY_BYTES

PROPOSALS, RESULTS = PurePosixPath("leaderboards/proposals"), PurePosixPath("leaderboards/results")
#: Size of one file that is taken out of a commit, and how many of them.
_MAX_FILES = 20_000
_PLAIN_FILE = "100644"


class ReviewError(ProcgenBenchError):
    """A change of the board that is not allowed."""


@dataclass(frozen=True)
class Change:
    """What a pull request changes.

    Attributes:
        proposals: Folders of proposals that it adds or changes.
        entries: Folders of entries that it adds or changes, below the results.
        others: Its other files of the board's: the trust and the known runs.
    """

    proposals: tuple[PurePosixPath, ...] = ()
    entries: tuple[PurePosixPath, ...] = ()
    others: tuple[str, ...] = ()


def read_change(repository: Path, base: str, head: str) -> Change:
    """What the commits from ``base`` to ``head`` change of the board; nothing where they change other things alone.

    Raises:
        ReviewError: They change the board and something else at once, or remove something from it.
    """
    listed = _git(repository, "diff", "--name-status", "--no-renames", "-z", f"{base}...{head}").decode().split("\0")
    changed = {PurePosixPath(path): status for status, path in zip(listed[0::2], listed[1::2])}
    proposals, entries, others, foreign = set(), set(), set(), set()
    for path, status in changed.items():
        if path.is_relative_to(RESULTS):
            inside = path.relative_to(RESULTS)
            if status == "D":
                raise ReviewError(f"{path} is removed; rows stay, and keys are revoked (`procgen-bench board revoke`)")
            if len(inside.parts) == 1 and inside.name in (TRUST_FILE, KNOWN_RUNS_FILE):
                others.add(inside.name)
            elif len(inside.parts) == 5:
                entries.add(inside.parent)
            else:
                raise ReviewError(f"{path} is no file of an entry's")
        elif path.is_relative_to(PROPOSALS):
            if len(path.relative_to(PROPOSALS).parts) != 2:
                raise ReviewError(f"{path} is no file of a proposal's, expected {PROPOSALS}/NAME/FILE")
            if status != "D":
                proposals.add(path.parent)
        else:
            foreign.add(path)
    board = proposals or entries or others
    if board and foreign:
        raise ReviewError(f"it changes the board and {min(foreign)}; propose one without the other")
    if proposals and (entries or others):
        raise ReviewError(f"it changes results and the proposal {min(proposals)}; propose one without the other")
    return Change(tuple(sorted(proposals)), tuple(sorted(entries)), tuple(sorted(others)))


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


def review_results(repository: Path, base: str, head: str, change: Change, root: str = PUBLISHED_ROOT) -> list[Entry]:
    """Hold a keeper's change of results against the board's root of trust; returns the entries that it touches.

    Raises:
        CorruptBoardError: A statement of the changed trust is not signed by whom it should be.
        InvalidSubmissionError: A touched entry is not what a certified verifier signed.
        AuditError: A touched row comes out otherwise.
        ReviewError: The change takes something back.
    """
    with taken_out(repository, base, RESULTS) as before, taken_out(repository, head, RESULTS) as after:
        trust = read_trust(after, root)
        _check_grown(read_trust(before, root).file, trust.file)
        forgotten = [
            cell for cell, seeds in known_runs(before).items() if not seeds <= known_runs(after).get(cell, frozenset())
        ]
        if forgotten:
            raise ReviewError(f"{KNOWN_RUNS_FILE} forgets runs of `{forgotten[0]}`")
        touched = []
        for folder in change.entries:
            entry = find_entry(str(after / folder), after)
            if entry.record.fresh is not None:
                audit(entry, unpublished=True)
            touched.append(entry)
        return touched


def _check_grown(before: TrustFile | None, after: TrustFile | None) -> None:
    """Refuse a trust that leaves out what was said before."""
    if before is None:
        return
    if after is None:
        raise ReviewError(f"{TRUST_FILE} is gone")
    for name in ("certificates", "revocations", "commitments", "secrets"):
        missing = [one for one in getattr(before, name) if one not in getattr(after, name)]
        if missing:
            raise ReviewError(f"{TRUST_FILE} takes back one of its {name}")


def _git(repository: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, check=False)
    if done.returncode:
        raise ReviewError(f"git {words[0]} fails: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return done.stdout

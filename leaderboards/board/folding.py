"""Which runs say something of their own: those that do what no other does.

Two rows are copies by what is known of them. Of rows without policies that is what was recorded: a replay proves that
actions earn a score, not that a policy chose them, so one whose actions are nearly all those of other rows is folded
under these. Policies are compared by what they do on observations that nobody knows (:mod:`.copies`): whatever was done
to a file, a policy that acts as another one is folded under it. Two perfect policies that play the suite alike do not
act alike elsewhere, and both stand.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.verification.verification import Tier

#: Share of equal actions from which on a run's are a copy.
_COPIED_ACTIONS = 0.9


def counted_runs(entry: Entry) -> tuple[int, ...]:
    """The runs that count, in their order: the first of those whose policies act alike, or whose actions are alike."""
    runs = range(len(entry.record.run_actions))
    if entry.record.tier is Tier.RERUN:
        return tuple(run for run in runs if _acts_as(entry, run) != entry.name)
    return tuple(run for run in runs if not any(_plays_as(entry, run, entry, other) for other in range(run)))


def folded_entries(entries: Sequence[Entry]) -> dict[Entry, Entry]:
    """The entries that stand under another, and under which: the one that most of their runs are of.

    Oracles never do. Of rows that do the same, the earlier one stands for itself; that of a learner never does next to
    one of an oracle, which needs no copy.

    Args:
        entries: All entries of one version of a benchmark, of different names.
    """
    by_name, folded, standing = {entry.name: entry for entry in entries}, dict[Entry, Entry](), list[Entry]()
    for entry in sorted(entries, key=_seniority):
        runs = counted_runs(entry)
        if entry.record.tier is Tier.RERUN:
            named = [by_name.get(_acts_as(entry, run) or "") for run in runs]
            holders = [folded.get(holder, holder) for holder in named if holder is not None]
        else:
            found = (_holder(entry, run, standing) for run in runs)
            holders = [holder for holder in found if holder is not None]
        if len(holders) == len(runs) and not entry.metadata.oracle:
            folded[entry] = Counter(holders).most_common(1)[0][0]
        else:
            standing.append(entry)
    return folded


def _acts_as(entry: Entry, run: int) -> str | None:
    """The entry whose policy a run's policy is a copy of."""
    resembles = entry.record.resembles[run] if entry.record.resembles else None
    return resembles.entry if resembles is not None and resembles.is_copy else None


def _holder(entry: Entry, run: int, standing: Sequence[Entry]) -> Entry | None:
    """The first entry that plays what a run plays."""
    for other in standing:
        if any(_plays_as(entry, run, other, place) for place in range(len(other.record.run_actions))):
            return other
    return None


def _plays_as(entry: Entry, run: int, other: Entry, place: int) -> bool:
    """Whether a run plays nearly the same as one of another entry."""
    if entry.record.run_actions[run] == other.record.run_actions[place]:
        return True
    if not (entry.record.sketches and other.record.sketches):
        return False
    own, others = _sketch(entry.record.sketches[run]), _sketch(other.record.sketches[place])
    return len(own) == len(others) and bool(np.count_nonzero(own == others) >= _COPIED_ACTIONS * len(own))


@lru_cache(maxsize=4096)
def _sketch(text: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(text), np.uint8)


def _seniority(entry: Entry) -> tuple[bool, bool, str, str]:
    """Sorts first whom others fold under. The day is all that a record tells of when; on one day, the name decides."""
    re_run = entry.record.tier is Tier.RERUN
    return not re_run, not entry.metadata.oracle, entry.record.submitted_on, entry.name

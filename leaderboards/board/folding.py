"""Which runs say something of their own: those that do what no other does.

Policies are compared by what they do in the epoch's fresh play (:mod:`~procgen_bench.leaderboards.scoring.copies`).
Whatever was done to a file, a policy that acts as another one is folded under it. Two perfect policies that play the
suite alike do not act alike elsewhere, and both stand.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from gymnasium import spaces

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.scoring.copies import ALIKE, COPIED, can_tell, equal_share, noted_actions
from procgen_bench.leaderboards.scoring.fresh import sketch_places
from procgen_bench.leaderboards.scoring.sketches import action_numbers
from procgen_bench.leaderboards.submission.folder import scripted_names
from procgen_bench.leaderboards.submission.protocol import Protocol


@dataclass(frozen=True)
class Resemblance:
    """The policy that a run's is most like.

    Attributes:
        entry: Name of the policy's entry of the same benchmark, which may be the run's own.
        run: Its run there.
        share: Share of equal actions in fresh play.
    """

    entry: str
    run: int
    share: float

    @property
    def is_copy(self) -> bool:
        """Whether one counts as a copy of the other."""
        return self.share >= COPIED


def resemblances(entries: Sequence[Entry]) -> dict[Entry, list[Resemblance | None]]:
    """Of each run of each entry the policy that it is most like, among those that came before.

    Oracles come first, then rows by the epoch since which they are there. ``None``: a run is like none.

    Args:
        entries: Entries of one version of a benchmark, of different names.
    """

    @cache
    def noted(entry: Entry, run: int) -> list[np.ndarray]:
        steps, space = _places(entry.benchmark, entry.epoch.salt)
        return noted_actions(entry.record, run, steps, space)

    def share(entry: Entry, run: int, other: Entry, place: int) -> float:
        if not _are_comparable(entry, other):
            return 0.0
        return equal_share(noted(entry, run), noted(other, place), _places(entry.benchmark, entry.epoch.salt)[1])

    found: dict[Entry, list[Resemblance | None]] = {}
    held: list[tuple[Entry, int]] = []
    for entry in sorted(entries, key=_seniority):
        found[entry] = []
        for run in range(len(entry.metadata.runs)):
            alike = [(share(entry, run, *other), -place) for place, other in enumerate(held)]
            most, place = max(alike, default=(0.0, 0))
            other, at = held[-place] if alike else (entry, run)
            found[entry].append(Resemblance(other.name, at, most) if most >= ALIKE else None)
            held.append((entry, run))
    return found


def counted_runs(entry: Entry, resembles: Sequence[Resemblance | None] | None = None) -> tuple[int, ...]:
    """The runs that count, in their order: the first of those whose policies act alike."""
    resembles = resemblances([entry])[entry] if resembles is None else resembles
    return tuple(run for run, one in enumerate(resembles) if one is None or not _is_copy_of(one, entry.name))


def folded_entries(
    entries: Sequence[Entry], alike: dict[Entry, list[Resemblance | None]] | None = None
) -> dict[Entry, Entry]:
    """The entries that stand under another, and under which: the one that most of their runs are copies of.

    Oracles and scripted players never do.

    Args:
        entries: All entries of one version of a benchmark, of different names.
        alike: What :func:`resemblances` gives.
    """
    alike = resemblances(entries) if alike is None else alike
    by_name, folded = {entry.name: entry for entry in entries}, dict[Entry, Entry]()
    for entry in sorted(entries, key=_seniority):
        runs = counted_runs(entry, alike[entry])
        named = [alike[entry][run] for run in runs]
        holders = [by_name[one.entry] for one in named if one is not None and one.is_copy]
        if len(holders) == len(runs) and not (entry.metadata.oracle or _is_scripted(entry)):
            holder = Counter(folded.get(holder, holder) for holder in holders).most_common(1)[0][0]
            folded[entry] = holder
    return folded


def _is_copy_of(resemblance: Resemblance, name: str) -> bool:
    return resemblance.is_copy and resemblance.entry == name


def _are_comparable(entry: Entry, other: Entry) -> bool:
    """Whether equal actions in fresh play say that one policy is a copy of the other."""
    if entry.fresh is None or other.fresh is None or entry.epoch != other.epoch or not can_tell(entry.benchmark):
        return False
    return not (_is_scripted(entry) and _is_scripted(other))


@lru_cache(maxsize=64)
def _places(benchmark: Benchmark, salt: str) -> tuple[list[np.ndarray], spaces.Space]:
    space = Protocol(benchmark).action_space
    return sketch_places(benchmark, bytes.fromhex(salt), action_numbers(space)), space


def _is_scripted(entry: Entry) -> bool:
    return not entry.metadata.policies and None not in scripted_names(entry.metadata)


def _seniority(entry: Entry) -> tuple[bool, int, str]:
    """Sorts first whom others fold under: oracles, then rows that earlier epochs saw; then the name decides."""
    return not entry.metadata.oracle, entry.since, entry.name

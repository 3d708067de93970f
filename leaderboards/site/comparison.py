"""Methods across the benchmarks of a family, and which of them can be compared on what."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from procgen_bench.leaderboards.board.method_names import MethodName
from procgen_bench.leaderboards.statistics.profiles import normalised_runs

#: Rows of a benchmark that the index shows.
_BEST = 3


@dataclass(frozen=True)
class IndexedBenchmark:
    """A benchmark on the index.

    Attributes:
        feed: Its feed.
        replays: The first clip of each row that has one, by the entry's name.
        has_page: Whether it has a page: without entries it has none.
        has_picture: Whether there is a picture of its first task.
        training: How each row was trained, by the entry's name, as :func:`~.method_pages.training_record` gives it.
    """

    feed: dict[str, Any]
    replays: dict[str, Any]
    has_page: bool
    has_picture: bool
    training: dict[str, Any] = field(default_factory=dict)

    @property
    def track(self) -> str:
        """Its id up to the slash."""
        return self.feed["benchmark"].partition("/")[0]

    @property
    def name(self) -> str:
        """Its id without the track."""
        return self.feed["benchmark"].partition("/")[2]

    @property
    def num_rows(self) -> int:
        """How many rows it has."""
        return len(self.feed["rows"])

    @property
    def best(self) -> list[dict[str, Any]]:
        """The rows that the index shows."""
        return [row for row in self.feed["rows"] if row["rank"] is not None][:_BEST]


@dataclass(frozen=True, eq=False)
class Cell:
    """What a method has on a benchmark.

    Attributes:
        benchmark: The benchmark's feed.
        row: Its row in it.
        runs: float64 (runs, 1), normalised scores of the runs that count, from the best floor (0) to the best possible
            score (1): on fresh episodes where its policy was played, else on the suite.
        replay: The row's first clip; ``None``: none.
    """

    benchmark: dict[str, Any]
    row: dict[str, Any]
    runs: np.ndarray
    replay: dict[str, Any] | None

    @property
    def score(self) -> float:
        """The score that it ranks by, or that of a row without a rank."""
        return (self.row["fresh"] or self.row["score"])["value"]

    @property
    def share(self) -> float:
        """The normalised score, of one below the best floor 0."""
        return float(np.clip(self.runs.mean(), 0, 1))


@dataclass(frozen=True, eq=False)
class MethodRow:
    """A method across benchmarks.

    Attributes:
        name: Its name.
        badge: What kind of player it is that was written by hand; ``None``: a learner.
        cells: What it has on each benchmark; ``None``: nothing.
    """

    name: MethodName
    badge: str | None
    cells: list[Cell | None]

    @property
    def entered(self) -> frozenset[int]:
        """Places of the benchmarks on which it has a rank."""
        return frozenset(
            place for place, cell in enumerate(self.cells) if cell is not None and cell.row["rank"] is not None
        )

    def runs_on(self, benchmarks: frozenset[int]) -> list[np.ndarray]:
        """Its runs on benchmarks on all of which it has a rank."""
        return [cell.runs for place, cell in enumerate(self.cells) if cell is not None and place in benchmarks]


@dataclass(frozen=True, eq=False)
class Family:
    """The benchmarks of a track that have rows, and the methods that have rows on them."""

    track: str
    benchmarks: list[IndexedBenchmark]
    methods: list[MethodRow]


def families(benchmarks: Sequence[IndexedBenchmark]) -> list[Family]:
    """The tracks that have rows, in the order of their first benchmarks."""
    of_track: dict[str, list[IndexedBenchmark]] = {}
    for benchmark in benchmarks:
        if benchmark.num_rows:
            of_track.setdefault(benchmark.track, []).append(benchmark)
    return [Family(track, columns, compared_methods(columns)) for track, columns in of_track.items()]


def compared_methods(benchmarks: Sequence[IndexedBenchmark]) -> list[MethodRow]:
    """The methods of benchmarks: learners by how many ranks they have, then by name; then what was written by hand.

    There is no mean of ranks: they are of other rivals on every benchmark. Names that differ in case alone are one. Of
    several rows of a method on a benchmark the first stands for it. Rows that were trained on their suite, or are
    folded under another, are left out: they compare with none.
    """
    held: dict[tuple[tuple[str, str, str], bool], MethodRow] = {}
    for place, benchmark in enumerate(benchmarks):
        for row in benchmark.feed["rows"]:
            if row["unranked"] == "trained on the suite" or row["folded_under"] is not None:
                continue
            name = MethodName(row["method"], row["teacher"], row["variant"])
            badge = row["unranked"] if row["reference"] else None
            method = held.setdefault((name.key, badge is None), MethodRow(name, badge, [None] * len(benchmarks)))
            if method.cells[place] is None:
                method.cells[place] = cell_of(benchmark, row)
    return sorted(held.values(), key=lambda row: (row.badge is not None, -len(row.entered), row.badge or "", row.name))


def shared_benchmarks(methods: Sequence[MethodRow]) -> list[tuple[frozenset[int], list[MethodRow]]]:
    """Which methods can be compared on which benchmarks: those that one entered, with all that entered these, too.

    Every method that has rivals on two benchmarks at least is in one of these sets; the sets that compare most come
    first.
    """
    shared = {
        method.entered: [other for other in methods if method.entered <= other.entered]
        for method in methods
        if len(method.entered) > 1
    }
    several = [(entered, sharing) for entered, sharing in shared.items() if len(sharing) > 1]
    several.sort(key=lambda pair: (-len(pair[0]) * len(pair[1]), sorted(pair[0])))
    chosen: list[tuple[frozenset[int], list[MethodRow]]] = []
    for entered, sharing in several:
        compared = {method for _, others in chosen for method in others}
        if any(method not in compared for method in sharing):
            chosen.append((entered, sharing))
    return chosen


def cell_of(benchmark: IndexedBenchmark, row: dict[str, Any]) -> Cell:
    """What the method of a row of the benchmark's feed has on it."""
    scores = [[run["score"] if run["fresh"] is None else run["fresh"]] for run in row["runs"] if run["counts"]]
    runs = normalised_runs(np.array(scores), benchmark.feed["scale_start"], benchmark.feed["maximum"])
    return Cell(benchmark.feed, row, runs, benchmark.replays.get(row["entry"]))

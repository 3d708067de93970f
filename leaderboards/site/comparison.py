"""Methods across benchmarks: what each has where, and which can be compared on what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.leaderboards.statistics.profiles import normalised_runs

#: Rows of a benchmark that the index shows.
_BEST = 3


@dataclass(frozen=True)
class IndexedBenchmark:
    """A benchmark on the index.

    Attributes:
        feed: Its feed.
        replays: The first clip of each row that has one, by the entry's name.
        has_picture: Whether there is a picture of its first task.
    """

    feed: dict[str, Any]
    replays: dict[str, Any]
    has_picture: bool

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
        runs: float64 (runs, 1), how far each run that counts is from the worst possible score (0) to the best (1).
        replay: The row's first clip; ``None``: none.
    """

    benchmark: dict[str, Any]
    row: dict[str, Any]
    runs: np.ndarray
    replay: dict[str, Any] | None

    @property
    def share(self) -> float:
        """How far the score is from the worst possible (0) to the best possible (1)."""
        return float(np.clip(self.runs.mean(), 0, 1))


@dataclass(frozen=True, eq=False)
class MethodRow:
    """A method across benchmarks.

    Attributes:
        method: Its name.
        oracle: Whether it is told what a learner is not, and is not ranked.
        cells: What it has on each benchmark; ``None``: nothing.
    """

    method: str
    oracle: bool
    cells: list[Cell | None]

    @property
    def entered(self) -> frozenset[int]:
        """Places of the benchmarks on which it has something."""
        return frozenset(place for place, cell in enumerate(self.cells) if cell is not None)

    @property
    def mean_rank(self) -> float | None:
        """Mean of its ranks; ``None`` where it has none."""
        ranks = [cell.row["rank"] for cell in self.cells if cell is not None and cell.row["rank"] is not None]
        return float(np.mean(ranks)) if ranks else None

    @property
    def is_trained(self) -> bool:
        """Whether it was trained for any benchmark, as random and constant actions are not."""
        return any(cell is not None and cell.row["training_steps"] > 0 for cell in self.cells)

    def runs_on(self, benchmarks: frozenset[int]) -> list[np.ndarray]:
        """Its runs on benchmarks all of which it entered."""
        return [cell.runs for place, cell in enumerate(self.cells) if cell is not None and place in benchmarks]


def compared_methods(benchmarks: Sequence[IndexedBenchmark]) -> list[MethodRow]:
    """The methods of all benchmarks, by mean rank, of equals those with more benchmarks first; oracles last.

    Rows that were trained on their suite are left out: they compare with none.
    """
    held: dict[tuple[str, bool], dict[int, Cell]] = {}
    for place, benchmark in enumerate(benchmarks):
        for row in benchmark.feed["rows"]:
            if row["trained_on_suite"]:
                continue
            held.setdefault((row["method"], row["oracle"]), {})[place] = _cell(benchmark, row)
    methods = [
        MethodRow(method, oracle, [cells.get(place) for place in range(len(benchmarks))])
        for (method, oracle), cells in held.items()
    ]
    return sorted(methods, key=_standing)


def shared_benchmarks(methods: Sequence[MethodRow]) -> list[tuple[frozenset[int], list[MethodRow]]]:
    """Which methods can be compared on which benchmarks: those that one entered, with all that entered these, too.

    Every method that was trained, and has rivals on two benchmarks at least, is in one of these sets; the sets that
    compare most come first.
    """
    ranked = [method for method in methods if method.mean_rank is not None]
    shared = {
        method.entered: [other for other in ranked if method.entered <= other.entered]
        for method in ranked
        if method.is_trained and len(method.entered) > 1
    }
    several = [(entered, sharing) for entered, sharing in shared.items() if len(sharing) > 1]
    several.sort(key=lambda pair: (-len(pair[0]) * len(pair[1]), sorted(pair[0])))
    chosen: list[tuple[frozenset[int], list[MethodRow]]] = []
    for entered, sharing in several:
        compared = {method for _, others in chosen for method in others}
        if any(method.is_trained and method not in compared for method in sharing):
            chosen.append((entered, sharing))
    return chosen


def _cell(benchmark: IndexedBenchmark, row: dict[str, Any]) -> Cell:
    scores = np.array([[run["score"]] for run in row["runs"] if run["counts"]])
    runs = normalised_runs(scores, benchmark.feed["minimum"], benchmark.feed["maximum"])
    return Cell(benchmark.feed, row, runs, benchmark.replays.get(row["entry"]))


def _standing(method: MethodRow) -> tuple[bool, float, int, str]:
    """Sorts better methods first."""
    rank = float("inf") if method.mean_rank is None else method.mean_rank
    return method.oracle, rank, -len(method.entered), method.method

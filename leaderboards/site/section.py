"""Section: a benchmark with its rows."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.leaderboards.board.board import UnreadableEntry
from procgen_bench.leaderboards.board.columns import BoardColumn, board_columns
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.tracks.tables import FLOORS, gain, known_floors, scale_start

#: So many learners are drawn: figures have as many colours.
MAX_DRAWN = 8
#: Names of the suites' records in words; other records go by their own name.
_RECORD_TITLES = {
    "length": "shortest solution",
    "size": "number of subtasks",
    "num_fields": "number of fields",
    "num_pages": "number of pages",
    "num_primitives": "number of primitives",
}
#: Records that are names in numbers: more of them is not more of anything.
_CATEGORIES = {"group", "side", "site"}


@dataclass(frozen=True, eq=False)
class Section:
    """A benchmark with its rows: what one page and its entries' pages are about.

    Attributes:
        benchmark: The benchmark.
        rows: Its rows, in the table's order.
        unreadable: Entries that are left out.
        archive: (version, its rows) of earlier versions of the benchmark, latest first.
    """

    benchmark: Benchmark
    rows: list[Row]
    unreadable: list[UnreadableEntry] = field(default_factory=list)
    archive: list[tuple[int, list[Row]]] = field(default_factory=list)

    @cached_property
    def suite(self) -> TaskSuite:
        """The tasks that are scored."""
        return self.benchmark.task_suite()

    @cached_property
    def records(self) -> dict[str, np.ndarray]:
        """What is counted or measured of the tasks, by its title: float64 (tasks,), NaN where a task has none."""
        return {
            _RECORD_TITLES.get(name, name): np.where(values < 0, np.nan, values)
            for name, values in self.suite.records.items()
            if values.ndim == 1 and name not in _CATEGORIES
        }

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        return self.benchmark.max_episode_steps

    def percent(self, value: float) -> float:
        """Normalised score: 0 for the worst possible, 100 for the best possible."""
        benchmark = self.benchmark
        share = (value - benchmark.minimum) / (benchmark.maximum - benchmark.minimum)
        return round(100 * min(max(share, 0.0), 1.0), 1)

    def gain(self, row: Row) -> float:
        """A row's gain over the best floor (:func:`procgen_bench.leaderboards.tracks.tables.gain`)."""
        return gain(self.benchmark, self.known_floors, row.score)

    @cached_property
    def known_floors(self) -> dict[str, float]:
        """What players that see nothing score, by their names."""
        rows = {row.entry.name: row.score for row in self.rows if row.unranked is Unranked.FLOOR}
        return known_floors(self.benchmark, rows)

    @property
    def scale_start(self) -> float:
        """The score that normalised scores count from."""
        return scale_start(self.benchmark, self.known_floors)

    @property
    def columns(self) -> list[BoardColumn]:
        """The columns of its table; teacher and variant where some row has one."""
        names = [row.name for row in self.rows]
        without = [part for part in ("teacher", "variant") if not any(getattr(name, part) for name in names)]
        if all(row.worst_tenth is None for row in self.rows):
            without.append("worst_tenth")
        standing = self.rows[0].standing if self.rows else None
        return board_columns(self.benchmark.metric, () if standing is None else map(str, standing.percentiles), without)

    @property
    def floors(self) -> dict[str, float]:
        """The same, by their names in words."""
        return {FLOORS[name]: value for name, value in self.known_floors.items()}

    @property
    def drawn_rows(self) -> list[Row]:
        """The rows that figures show: the first learners, oracles and scripted players, and the best floor."""
        shown = [row for row in self.rows if row.folded_under is None and row.unranked is not Unranked.SUITE]
        learners = [row for row in shown if not row.is_reference][:MAX_DRAWN]
        floors = [row for row in shown if row.unranked is Unranked.FLOOR]
        left_out = floors[1:]  # the best one is listed first
        return [row for row in shown if row in learners or (row.is_reference and row not in left_out)]

    @cached_property
    def colours(self) -> dict[Row, int | None]:
        """The colour of each drawn row in every figure; ``None`` for players that were written by hand."""
        learners = [row for row in self.drawn_rows if not row.is_reference]
        chosen = dict(zip(learners, colours_of([str(row.name) for row in learners])))
        return {row: chosen.get(row) for row in self.drawn_rows}


def colours_of(methods: list[str]) -> list[int]:
    """A colour for each of at most eight methods: its own on every page, unless a better one here has the same."""
    taken: list[int] = []
    for method in methods:
        own = hashlib.sha256(method.encode()).digest()[0]
        wanted = ((own + step) % MAX_DRAWN for step in range(MAX_DRAWN))
        taken.append(next(colour for colour in wanted if colour not in taken))
    return taken

"""Pages of benchmarks whose tasks come in groups: what every method scores in each."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.site.page_parts import Part, TrackPages
from procgen_bench.leaderboards.statistics.estimates import Estimate, mean_over_runs
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask
from procgen_bench.tasks.programs import GROUPS
from procgen_bench.tasks.programs.zones import BLOCK_RADIUS, RESTING_HEIGHT
from procgen_bench.tasks.sites.published_sites import LEVELS, SITES

#: Seed of the bootstrap: the same board always shows the same intervals.
_SEED = 0


@dataclass(frozen=True, eq=False)
class TaskGroup:
    """Tasks that are shown apart from others.

    Attributes:
        title: What they are.
        places: int64 (tasks,), their places in the suite.
        cells: What each row of the board scores in them, its mean over tasks and runs.
        best: The most that a ranked row scores in them; ``None`` if there is none, or it is 0.
    """

    title: str
    places: np.ndarray
    cells: list[Estimate]
    best: float | None


class GroupedPages(TrackPages):
    """A table of scores by group on the benchmark's page."""

    @abstractmethod
    def titles(self) -> list[str]:
        """The title of every task's group, in the suite's order; groups are shown as they first come."""

    def benchmark_parts(self, folder: Path) -> list[Part]:
        """The table, if there is anything to show in it."""
        titles = self.titles()
        if not self.section.rows or len(set(titles)) < 2:
            return []
        groups = [self._group(title, np.flatnonzero(np.array(titles) == title)) for title in dict.fromkeys(titles)]
        return [Part("groups.html", {"groups": groups})]

    def _group(self, title: str, places: np.ndarray) -> TaskGroup:
        rows = self.section.rows
        cells = [self._cell(row.scores[:, places]) for row in rows]
        best = max((cell.value for row, cell in zip(rows, cells) if row.rank is not None), default=0.0)
        return TaskGroup(title, places, cells, best or None)

    def _cell(self, scores: np.ndarray) -> Estimate:
        """The mean over tasks and runs; a group's can be better than the best possible over all tasks."""
        benchmark = self.section.benchmark
        best = max(benchmark.maximum, float(scores.max()))
        return mean_over_runs(scores.mean(axis=1), np.random.default_rng(_SEED), benchmark.minimum, best)


class SitePages(GroupedPages):
    """Web sites: by site and level (CoDE, table 1 and figure 11), or by number of pages."""

    def titles(self) -> list[str]:
        """E.g. ``"login, level 4"``, ``"enter-text"`` or ``"3 pages"``."""
        records = self.section.suite.records
        if "site" not in records:
            return [f"{pages} page{'s' * (pages > 1)}" for pages in records["num_pages"].tolist()]
        pairs = zip(records["site"].tolist(), records["level"].tolist())
        return [SITES[site] + (f", level {level}" if level in LEVELS else "") for site, level in pairs]


class RoomPages(GroupedPages):
    """Rooms: by the number of subtasks that the design asks (CoDE, A.9)."""

    def titles(self) -> list[str]:
        """E.g. ``"3 subtasks"``."""
        return [f"{size} subtask{'s' * (size != 1)}" for size in self.section.suite.records["size"].tolist()]


class ProgramPages(GroupedPages):
    """Tasks of the Fetch arm: programs by the groups of AlphaNPI-X's table 2, goals by where the block is to be."""

    def titles(self) -> list[str]:
        """E.g. ``"Clean And Stack"``, or ``"in the air"``."""
        suite = self.section.suite
        if "group" not in suite.records:
            return [_whereabouts(task) for task in suite.tasks]
        groups = [name.replace("_", " ") for name in GROUPS]
        return [groups[group] for group in suite.records["group"].tolist()]


def _whereabouts(task: FetchBlocksTask) -> str:
    """Where the goal has the block to act on."""
    level = (task.goal[task.first, 2] - RESTING_HEIGHT) / (2 * BLOCK_RADIUS)
    if not np.isclose(level, round(level)):
        return "in the air"
    return "on another block" if round(level) else "on the table"

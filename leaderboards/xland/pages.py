"""XLand's pages: percentiles where tasks are generated, a table of tasks where they are hand-authored."""

from pathlib import Path

from procgen_bench.leaderboards.board import Entry
from procgen_bench.leaderboards.episodes import play_back_some
from procgen_bench.leaderboards.section import Section
from procgen_bench.leaderboards.table import Row
from procgen_bench.leaderboards.track_pages import Part, PlayedBack, TrackPages
from procgen_bench.leaderboards.xland.hand_authored_page import entry_runs_part, hand_authored_part
from procgen_bench.leaderboards.xland.percentile_page import entry_tasks_part, percentile_part

HAND_AUTHORED = "hand_authored"


class XLandPages(TrackPages):
    """Pages of the track ``xland``."""

    def play_back(self, entry: Entry) -> PlayedBack:
        """Replay the episodes that are shown: all 11,746 of 900 steps would take hours."""
        return PlayedBack([], play_back_some(entry))

    def benchmark_parts(self, section: Section, folder: Path) -> list[Part]:
        """Percentiles, or what every task gave."""
        if section.benchmark.suite == HAND_AUTHORED:
            return [hand_authored_part(section, folder)]
        return [percentile_part(section, folder)] if section.rows else []

    def entry_parts(self, section: Section, row: Row) -> list[Part]:
        """What the entry got: by run in hand-authored tasks, else by game and co-player."""
        part = entry_runs_part if section.benchmark.suite == HAND_AUTHORED else entry_tasks_part
        return [part(section, row)]

"""XLand's pages: percentiles where tasks are generated, a table of tasks where they are hand-authored."""

from functools import cached_property
from pathlib import Path

from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.page_parts import Part, TrackPages
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask, benchmark_tasks
from procgen_bench.leaderboards.xland.hand_authored_page import entry_runs_part, hand_authored_part
from procgen_bench.leaderboards.xland.percentile_page import entry_games_part, percentile_part

_HAND_AUTHORED = "hand_authored"


class XLandPages(TrackPages):
    """Pages of the track ``xland``."""

    #: There are 11,746 of them.
    shows_tasks = False

    def benchmark_parts(self, folder: Path) -> list[Part]:
        """Percentiles, or what every hand-authored task gave."""
        if not self.section.rows:
            return []
        if self._is_hand_authored:
            return [hand_authored_part(self.section, folder)]
        return [percentile_part(self.section, self._tasks, folder)]

    def entry_parts(self, row: Row) -> list[Part]:
        """What the entry got: by run in hand-authored tasks, else by game and co-player."""
        if self._is_hand_authored:
            return [entry_runs_part(self.section, row)]
        return [entry_games_part(self.section, self._tasks, row)]

    @property
    def _is_hand_authored(self) -> bool:
        return self.section.benchmark.suite == _HAND_AUTHORED

    @cached_property
    def _tasks(self) -> tuple[EvaluationTask, ...]:
        return benchmark_tasks(self.section.suite)

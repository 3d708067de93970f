"""What pages are made of: the hooks by which a track puts something of its own on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.section import Section


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a page.

    Attributes:
        template: Name of the template that shows it, which is given the part as ``part`` and all that the page has.
        content: What it shows, for the template.
    """

    template: str
    content: Mapping[str, Any]


class TrackPages:
    """A benchmark's page and those of its entries: every method is a place where a track can put something of its own.

    Args:
        section: The benchmark and its rows, of which there may be none.
    """

    #: Whether an entry's page has the scores of its tasks, one by one.
    shows_tasks = True

    def __init__(self, section: Section):
        self.section = section

    def benchmark_parts(self, folder: Path) -> list[Part]:
        """Parts of the benchmark's page, below its table of entries; files that they show or link go to ``folder``."""
        return []

    def entry_parts(self, row: Row) -> list[Part]:
        """Parts of an entry's page, below its replays."""
        return []

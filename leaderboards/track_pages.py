"""What a track's pages have of their own: the hook that keeps the site from knowing any track by name."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from procgen_bench.leaderboards.board import Entry
from procgen_bench.leaderboards.clips import choose_episodes
from procgen_bench.leaderboards.episodes import PlayedEpisode, play_back
from procgen_bench.leaderboards.section import Section
from procgen_bench.leaderboards.table import Row

#: Where a track's pages are that are not like all others': "module:class", loaded when a site is written.
_OF_TRACKS = {
    "cminigrid": "procgen_bench.leaderboards.grouped_pages:RoomPages",
    "fetch-blocks": "procgen_bench.leaderboards.grouped_pages:ProgramPages",
    "gminiwob": "procgen_bench.leaderboards.grouped_pages:SitePages",
    "xland": "procgen_bench.leaderboards.xland.pages:XLandPages",
}


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a page.

    Attributes:
        template: Name of the template that shows it, which is given the part as ``part`` and all that the page has.
        content: What it shows, for the template.
    """

    template: str
    content: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PlayedBack:
    """What a site replays of an entry.

    Attributes:
        episodes: All of its episodes; none where only those that are shown are replayed.
        shown: Those that the entry's page shows, each with the reason.
    """

    episodes: list[PlayedEpisode]
    shown: list[tuple[str, PlayedEpisode]]


class TrackPages:
    """A benchmark's page and those of its entries: every method is a place where a track can put something of its own.

    Args:
        section: The benchmark and its rows, of which there may be none.
    """

    def __init__(self, section: Section):
        self.section = section

    def play_back(self, entry: Entry) -> PlayedBack:
        """Replay an entry; all of it, unless the track's episodes are too long for that."""
        episodes = play_back(entry)
        return PlayedBack(episodes, choose_episodes(episodes))

    def benchmark_parts(self, folder: Path) -> list[Part]:
        """Parts of the benchmark's page, below its table of entries; files that they show or link go to ``folder``."""
        return []

    def entry_parts(self, row: Row) -> list[Part]:
        """Parts of an entry's page, below its replays."""
        return []


def track_pages(section: Section) -> TrackPages:
    """The pages of a section, as its track has them."""
    if section.benchmark.track not in _OF_TRACKS:
        return TrackPages(section)
    module, _, name = _OF_TRACKS[section.benchmark.track].partition(":")
    return getattr(importlib.import_module(module), name)(section)

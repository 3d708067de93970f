"""The pages of a track: like all others', or its own."""

import pkgutil

from procgen_bench.leaderboards.site.own_pages import PAGES
from procgen_bench.leaderboards.site.page_parts import TrackPages
from procgen_bench.leaderboards.site.section import Section


def track_pages(section: Section) -> TrackPages:
    """The pages of a section, as its track has them."""
    if section.benchmark.track not in PAGES:
        return TrackPages(section)
    return pkgutil.resolve_name(PAGES[section.benchmark.track])(section)

"""Which track's pages have something of their own: the table that keeps the site from knowing any track by name."""

import pkgutil

from procgen_bench.leaderboards.site.page_parts import TrackPages
from procgen_bench.leaderboards.site.section import Section

#: Where a track's pages are that are not like all others': "module:class", loaded when a site is written.
_OF_TRACKS = {
    "cminigrid": "procgen_bench.leaderboards.site.grouped_pages:RoomPages",
    "fetch-blocks": "procgen_bench.leaderboards.site.grouped_pages:ProgramPages",
    "gminiwob": "procgen_bench.leaderboards.site.grouped_pages:SitePages",
    "xland": "procgen_bench.leaderboards.xland.pages:XLandPages",
}


def track_pages(section: Section) -> TrackPages:
    """The pages of a section, as its track has them."""
    if section.benchmark.track not in _OF_TRACKS:
        return TrackPages(section)
    return pkgutil.resolve_name(_OF_TRACKS[section.benchmark.track])(section)

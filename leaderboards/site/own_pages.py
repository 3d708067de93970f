"""Which tracks' pages have something of their own: the table that keeps the site from knowing any track by name."""

#: Track -> "module:class" of its pages, loaded when a site is written.
PAGES = {
    "cminigrid": "procgen_bench.leaderboards.site.grouped_pages:RoomPages",
    "fetch-blocks": "procgen_bench.leaderboards.site.grouped_pages:ProgramPages",
    "gminiwob": "procgen_bench.leaderboards.site.grouped_pages:SitePages",
    "xland": "procgen_bench.leaderboards.xland.pages:XLandPages",
}

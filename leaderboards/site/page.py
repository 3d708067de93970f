"""The results page: a board as a static site, which needs no server and no network."""

from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.progress import Progress
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.site.benchmark_pages import write_pages
from procgen_bench.leaderboards.site.board_snapshot import BoardSnapshot
from procgen_bench.leaderboards.site.comparison import IndexedBenchmark
from procgen_bench.leaderboards.site.contents import Parts, part_key
from procgen_bench.leaderboards.site.feed import FEED_FILE, benchmark_feed, board_feed
from procgen_bench.leaderboards.site.films import write_films
from procgen_bench.leaderboards.site.method_pages import training_record, write_methods
from procgen_bench.leaderboards.site.overview import write_overview
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.site.site_folder import replaced_site
from procgen_bench.leaderboards.site.site_templates import LOADER, TEMPLATES

_ASSETS = ("style.css", "script.js", "icon.svg")


def write_site(
    board: str | PathLike, out: str | PathLike, only: Collection[Benchmark] = (), workers: Workers = None
) -> None:
    """Write a board as a static site: an index, a page for every benchmark, every method and every entry.

    Of a site that is there, what has not changed is taken over; the new one is the same as one that is written whole.
    Entries that cannot be read are named, and stop nothing. A benchmark without entries is named on the index, and has
    no page: nothing of its environment is loaded.

    Args:
        board: The board's folder.
        out: Where the site goes; a site that is there is replaced as a whole, or left as it was if anything fails.
        only: Benchmarks whose pages are written; of all others, what the site that is there holds stays as it is, and
            a new site has nothing of them. None: all of them.
        workers: Who films episodes.

    Raises:
        ForeignFolderError: ``out`` is something else than a site, an empty folder, or nothing yet.
        ForeignVersionError: ``only`` is given, and the site that is there was written by another version.
        CorruptBoardError: The board's epochs cannot be read.
    """
    with replaced_site(Path(out)) as site:
        parts = Parts(site, Path(out))
        if only:
            parts.check_keeps()
        written = [benchmark for benchmark in BENCHMARKS.values() if not only or benchmark in only]
        known = _write_benchmarks(written, Path(board), site, parts, workers)
        for benchmark in BENCHMARKS.values():
            if benchmark not in written:
                known[benchmark.id] = parts.keep(benchmark.id)
        shown = [known[name] for name in BENCHMARKS if known.get(name) is not None]
        indexed = [IndexedBenchmark(**one) for one in shown]
        _write_index(indexed, site)
        write_methods(indexed, site, parts)
        parts.write()


def _write_benchmarks(
    benchmarks: list[Benchmark], board: Path, site: Path, parts: Parts, workers: Workers
) -> dict[str, Any]:
    """Write benchmarks' pages, or take them over; returns what the index shows of each."""
    reading = Progress(benchmarks, desc="reading", unit="benchmark", delay=2, leave=False)
    snapshots = {benchmark: BoardSnapshot(benchmark, board) for benchmark in reading}
    films = write_films([snapshot.current.entries for snapshot in snapshots.values()], site, parts, workers)
    known: dict[str, Any] = {}
    for benchmark, snapshot in Progress(snapshots.items(), desc="pages", unit="benchmark", delay=2, leave=False):
        key = part_key(snapshot.content, [films[entry] for entry in snapshot.current.entries])
        known[benchmark.id] = parts.taken_over(benchmark.id, key)
        if known[benchmark.id] is None:
            section = snapshot.section()
            files = [] if snapshot.is_empty else write_pages(section, films, site)
            known[benchmark.id] = _indexed(section, films, files)
            parts.add(benchmark.id, key, files, known[benchmark.id])
    return known


def _indexed(section: Section, films: dict[Entry, Any], files: Sequence[Path]) -> dict[str, Any]:
    """What the index shows of a benchmark: the fields of :class:`~.comparison.IndexedBenchmark`."""
    replays = {row.entry.name: films[row.entry]["clips"][0] for row in section.rows if films[row.entry]["clips"]}
    has_picture = any(path.name == "task-0.png" for path in files)
    return {
        "feed": benchmark_feed(section),
        "replays": replays,
        "has_page": bool(files),
        "has_picture": has_picture,
        "training": {row.entry.name: training_record(row.entry.metadata, section.benchmark) for row in section.rows},
    }


def _write_index(benchmarks: list[IndexedBenchmark], site: Path) -> None:
    for name in _ASSETS:
        (site / name).write_text(LOADER.get_source(TEMPLATES, name)[0], "utf-8")
    (site / FEED_FILE).write_text(board_feed([benchmark.feed for benchmark in benchmarks]), "utf-8")
    write_overview(benchmarks, site)

"""The results page: a board as a static site, which needs no server and no network."""

import itertools
from os import PathLike
from pathlib import Path

import numpy as np
from tqdm import tqdm

from procgen_bench.benchmark import Benchmark
from procgen_bench.errors import MissingExtraError
from procgen_bench.leaderboards.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.clips import write_clips, write_pictures
from procgen_bench.leaderboards.episodes import task_results
from procgen_bench.leaderboards.section import Section
from procgen_bench.leaderboards.section_figures import write_figures
from procgen_bench.leaderboards.site_folder import replaced_folder
from procgen_bench.leaderboards.site_templates import TEMPLATES
from procgen_bench.leaderboards.statistics import Estimate, compare
from procgen_bench.leaderboards.table import Row, read_table
from procgen_bench.leaderboards.track_pages import PlayedBack, TrackPages, track_pages
from procgen_bench.registration import environment_type
from procgen_bench.version import __version__

_ASSETS = ("style.css", "script.js", "icon.svg")
#: Seed of the bootstrap: the same board always gives the same site.
_SEED = 0


def write_site(board: str | PathLike, out: str | PathLike) -> None:
    """Write a board as a static site: an index, a page for every benchmark and one for every entry.

    Benchmarks that have no entries and whose environment needs a package that is not installed are left out.

    Args:
        board: The board's folder.
        out: Where the site goes; a site that is there is replaced as a whole, or left as it was if anything fails.

    Raises:
        ForeignFolderError: ``out`` is something else than a site, an empty folder, or nothing yet.
        CorruptBoardError: An entry of the board cannot be read.
        MissingExtraError: An entry's environment cannot be played back for want of a package.
    """
    with replaced_folder(Path(out)) as site:
        benchmarks = tqdm(BENCHMARKS.values(), desc="statistics", unit="benchmark", delay=2, leave=False)
        sections = [Section(benchmark, read_table(benchmark, board)) for benchmark in benchmarks]
        sections = [section for section in sections if section.rows or _is_installed(section.benchmark)]
        for name in _ASSETS:
            (site / name).write_text(TEMPLATES.loader.get_source(TEMPLATES, name)[0], "utf-8")
        num_pages = sum(1 + len(section.rows) for section in sections)
        with tqdm(total=num_pages, desc="pages", unit="page", delay=2, leave=False) as bar:
            for section in sections:
                _write_section(section, site, bar)
        tracks: dict[str, list[Section]] = {}
        for section in sections:  # a track's benchmarks need not follow one another
            tracks.setdefault(section.benchmark.track, []).append(section)
        _write_page(site / "index.html", "index.html", site, tracks=tracks)


def _is_installed(benchmark: Benchmark) -> bool:
    """Whether the packages are there that the benchmark's environment needs."""
    try:
        environment_type(benchmark.environment_id)
    except MissingExtraError:
        return False
    return True


def _write_section(section: Section, site: Path, bar: tqdm) -> None:
    """A benchmark's page and those of its entries."""
    folder = site.joinpath(*section.benchmark.id.split("/"))
    folder.mkdir(parents=True)
    pages = track_pages(section)
    episodes = {}
    for row in section.rows:
        played = pages.play_back(row.entry)
        episodes[row.entry.name] = played.episodes
        _write_entry(pages, row, played, site)
        bar.update()
    _write_page(
        folder / "index.html",
        "benchmark.html",
        site,
        section=section,
        pictures=write_pictures(section.benchmark.environment_id, section.suite, folder),
        parts=pages.benchmark_parts(folder),
        figures=write_figures(section, episodes, folder) if section.rows else [],
        comparisons=_comparisons(section),
    )
    bar.update()


def _write_entry(pages: TrackPages, row: Row, played: PlayedBack, site: Path) -> None:
    section = pages.section
    folder = site.joinpath(*section.benchmark.id.split("/"), row.entry.name)
    folder.mkdir()
    _write_page(
        folder / "index.html",
        "entry.html",
        site,
        section=section,
        row=row,
        clips=write_clips(section.benchmark.environment_id, played.shown, folder),
        parts=pages.entry_parts(row),
        results=task_results(row.entry, played.episodes) if played.episodes else [],
        run_scores=row.entry.scores.mean(axis=1).tolist(),
    )


def _comparisons(section: Section) -> tuple[list[Row], list[list[Estimate | None]]] | None:
    """The drawn methods of several runs, and the probability that the one of a row improves on the one of a column."""
    rows = [row for row in section.drawn_rows if len(row.entry.scores) > 1]
    if len(rows) < 2:
        return None
    matrix: list[list[Estimate | None]] = [[None] * len(rows) for _ in rows]
    pairs = list(itertools.combinations(range(len(rows)), 2))
    for i, j in tqdm(pairs, desc="comparisons", unit="pair", delay=2, leave=False):
        better = compare(rows[i].entry.scores, rows[j].entry.scores, np.random.default_rng(_SEED))
        matrix[i][j] = better
        matrix[j][i] = Estimate(1 - better.value, 1 - better.high, 1 - better.low)
    return rows, matrix


def _write_page(path: Path, template: str, site: Path, **content) -> None:
    root = "../" * len(path.parent.relative_to(site).parts)
    path.write_text(TEMPLATES.get_template(template).render(root=root, version=__version__, **content), "utf-8")

"""A benchmark's page and those of its entries."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.clips import write_pictures
from procgen_bench.leaderboards.site.films import entry_folder
from procgen_bench.leaderboards.site.page_parts import TrackPages
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.site.section_figures import write_figures
from procgen_bench.leaderboards.site.site_templates import write_page
from procgen_bench.leaderboards.site.track_pages import track_pages
from procgen_bench.leaderboards.statistics.estimates import Estimate, compare

#: Seed of the bootstrap: the same board always gives the same site.
_SEED = 0


def write_pages(section: Section, films: Mapping[Entry, Any], site: Path) -> list[Path]:
    """Write a section's pages, figures and pictures; returns the files.

    Args:
        section: The benchmark and its rows.
        films: What was filmed of each entry, as :func:`~.films.write_films` gives it.
        site: The site's folder.
    """
    folder = site.joinpath(*section.benchmark.id.split("/"))
    folder.mkdir(parents=True, exist_ok=True)
    pages = track_pages(section)
    entry_pages = [_write_entry(pages, row, films[row.entry], site) for row in section.rows]
    write_page(
        folder / "index.html",
        "benchmark.html",
        site,
        section=section,
        films=films,
        pictures=write_pictures(section.benchmark.environment_id, section.suite, folder),
        parts=pages.benchmark_parts(folder),
        figures=write_figures(section, folder) if section.drawn_rows else [],
        comparisons=_comparisons(section),
    )
    return [*(path for path in folder.iterdir() if path.is_file()), *entry_pages]


def _write_entry(pages: TrackPages, row: Row, film: Any, site: Path) -> Path:
    section, entry = pages.section, row.entry
    path = entry_folder(entry, site) / "index.html"
    path.parent.mkdir(exist_ok=True)
    write_page(
        path,
        "entry.html",
        site,
        section=section,
        row=row,
        film=film,
        parts=pages.entry_parts(row),
        tasks=_task_scores(section, entry) if pages.shows_tasks else [],
        run_scores=entry.scores.mean(axis=1).tolist(),
    )
    return path


def _task_scores(section: Section, entry: Entry) -> list[dict[str, Any]]:
    """What an entry scores on every task: mean over its runs, the worst run and the best."""
    columns = (entry.scores.mean(axis=0), entry.scores.min(axis=0), entry.scores.max(axis=0))
    return [
        {"name": name, "score": score, "worst": worst, "best": best}
        for name, score, worst, best in zip(section.suite.task_names, *(column.tolist() for column in columns))
    ]


def _comparisons(section: Section) -> tuple[list[Row], list[list[Estimate | None]]] | None:
    """The drawn methods of several runs, and the probability that the one of a row improves on the one of a column."""
    rows = [row for row in section.drawn_rows if len(row.scores) > 1]
    if len(rows) < 2:
        return None
    matrix: list[list[Estimate | None]] = [[None] * len(rows) for _ in rows]
    pairs = list(itertools.combinations(range(len(rows)), 2))
    for i, j in Progress(pairs, desc="comparisons", unit="pair", delay=2, leave=False):
        better = compare(rows[i].scores, rows[j].scores, np.random.default_rng(_SEED))
        matrix[i][j], matrix[j][i] = better, better.complement
    return rows, matrix

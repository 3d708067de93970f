"""Filming what is new on a board: the entries' clips, by worker processes where there are many."""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from procgen_bench.core.progress import Progress
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.site.clips import film_entries
from procgen_bench.leaderboards.site.contents import Parts, part_key

#: What decides what a film shows: of the package, not the pages, which change more often. Films take longest.
_PLACES = (
    *("core", "engine", "tasks", "envs"),
    *("leaderboards/site/clips.py", "leaderboards/site/replays.py", "leaderboards/scoring"),
)
#: Entries that are filmed in one environment, by one worker.
_AT_ONCE = 10


def write_films(benchmarks: Sequence[Sequence[Entry]], site: Path, parts: Parts, workers: Workers) -> dict[Entry, Any]:
    """Write every entry's clips to its folder, or take them over from the site before.

    Args:
        benchmarks: The entries of each benchmark.
        site: The site's folder.
        parts: Its parts.
        workers: Who films.

    Returns:
        Of each entry, what :meth:`~.clips.Film.description` gives.
    """
    films = {entry: parts.taken_over(part_name(entry), _key(entry)) for entries in benchmarks for entry in entries}
    jobs = []
    for entries in benchmarks:
        new = [entry for entry in entries if films[entry] is None]
        jobs += [(new[start : start + _AT_ONCE],) for start in range(0, len(new), _AT_ONCE)]
    results = finished_jobs(film_entries, jobs, workers if len(jobs) > 1 else None)
    total = sum(len(entries) for (entries,) in jobs)
    with closing(results), Progress(total=total, desc="films", unit="entry", delay=2, leave=False) as bar:
        for place, filmed in results:
            (entries,) = jobs[place]
            for entry, film in zip(entries, filmed):
                films[entry] = film.description()
                paths = _written(film.files, entry_folder(entry, site))
                parts.add(part_name(entry), _key(entry), paths, films[entry])
            bar.update(len(entries))
    return films


def entry_folder(entry: Entry, site: Path) -> Path:
    """Where a site has an entry's page and clips."""
    return site.joinpath(*entry.metadata.benchmark.split("/"), entry.name)


def part_name(entry: Entry) -> str:
    """What the part of an entry's clips is called."""
    return f"{entry.metadata.benchmark}/{entry.name}"


def _key(entry: Entry) -> str:
    """What is shown follows from the record and the policies that it names."""
    digest = hashlib.sha256(entry.record.to_json()).hexdigest()
    return part_key(repr(entry.benchmark), digest, entry.epoch.salt, places=_PLACES)


def _written(files: dict[str, bytes], folder: Path) -> list[Path]:
    if files:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]

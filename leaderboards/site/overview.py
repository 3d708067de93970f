"""The index: a table of methods for each family, then every track with its benchmarks' best rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.charts.lines import Line, LineChart
from procgen_bench.leaderboards.site.comparison import (
    IndexedBenchmark,
    MethodRow,
    compared_methods,
    families,
    shared_benchmarks,
)
from procgen_bench.leaderboards.site.section import MAX_DRAWN, colours_of
from procgen_bench.leaderboards.site.section_figures import Figure, draw
from procgen_bench.leaderboards.site.site_templates import write_page
from procgen_bench.leaderboards.statistics.profiles import performance_profile

#: Methods that a family's table shows; of a long board, the first.
_MAX_METHODS = 40
#: Sets of benchmarks on which profiles are drawn.
_MAX_PROFILES = 4
_THRESHOLDS = np.linspace(0, 1, 101)
#: Seed of the bootstrap: the same board always gives the same site.
_SEED = 0


def write_overview(benchmarks: Sequence[IndexedBenchmark], site: Path) -> None:
    """Write the index."""
    tracks: dict[str, list[IndexedBenchmark]] = {}
    for benchmark in benchmarks:  # a track's need not follow one another
        tracks.setdefault(benchmark.track, []).append(benchmark)
    every = [benchmark for of_track in tracks.values() for benchmark in of_track]
    columns = [benchmark for benchmark in every if benchmark.num_rows]
    methods = compared_methods(columns)
    write_page(
        site / "index.html",
        "index.html",
        site,
        tracks=tracks,
        families=families(every),
        max_methods=_MAX_METHODS,
        reasons=list(Unranked),
        num_entries=sum(benchmark.num_rows for benchmark in every),
        num_replays=sum(len(benchmark.replays) for benchmark in every),
        profiles=_profiles(columns, shared_benchmarks(methods)[:_MAX_PROFILES], site),
    )


def _profiles(
    columns: Sequence[IndexedBenchmark], shared: Sequence[tuple[frozenset[int], list[MethodRow]]], site: Path
) -> list[Figure]:
    """Performance profiles of the best methods on benchmarks that all of them entered, each in its own figure."""
    drawn = [
        (places, sorted(methods, key=lambda method: -_mean(method, places))[:MAX_DRAWN]) for places, methods in shared
    ]
    every = dict.fromkeys(method.name.label for _, methods in drawn for method in methods)
    # A method has its colour in all figures, as long as there are enough.
    colours = dict(zip(every, colours_of(list(every)))) if len(every) <= MAX_DRAWN else {}
    figures = []
    for number, (places, methods) in enumerate(drawn):
        names = [method.name.label for method in methods]
        of_figure = colours or dict(zip(names, colours_of(names)))
        lines = [_profile(method, places, of_figure[method.name.label]) for method in methods]
        benchmarks = [columns[place].feed["benchmark"] for place in sorted(places)]
        caption = (
            "Every benchmark counts alike. Bands: 95 % intervals over runs, where a method has five or more on each. "
            f"Of all methods that entered {_listed(benchmarks)}."
        )
        figures.append(draw(_profile_chart(len(places), lines), f"profile-{number}", site, caption))
    return figures


def _profile_chart(number: int, lines: Sequence[Line]) -> LineChart:
    return LineChart(
        title=f"Performance profiles on {number} benchmarks",
        x_label="normalised score, from the best floor (0) to the best possible (1)",
        y_label="share of runs above",
        lines=lines,
        low=0.0,
        high=1.0,
        steps=True,
    )


def _profile(method: MethodRow, places: frozenset[int], colour: int) -> Line:
    profile = performance_profile(method.runs_on(places), _THRESHOLDS, np.random.default_rng(_SEED))
    points = list(zip(profile.thresholds.tolist(), profile.values.tolist()))
    if profile.low is None or profile.high is None:
        return Line(method.name.label, points, colour)
    return Line(method.name.label, points, colour, list(zip(profile.low.tolist(), profile.high.tolist())))


def _mean(method: MethodRow, places: frozenset[int]) -> float:
    return float(np.mean([runs.mean() for runs in method.runs_on(places)]))


def _listed(names: Sequence[str]) -> str:
    """The benchmarks, by track: ``"point-maze (test, u-2), bit-grid (test)"``."""
    by_track: dict[str, list[str]] = {}
    for track, _, name in (benchmark.partition("/") for benchmark in names):
        by_track.setdefault(track, []).append(name)
    return ", ".join(f"{track} ({', '.join(of_track)})" for track, of_track in by_track.items())

"""The index of a board: where its normalised scores count from."""

import re

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.table import table_of
from procgen_bench.leaderboards.site.comparison import IndexedBenchmark
from procgen_bench.leaderboards.site.feed import benchmark_feed
from procgen_bench.leaderboards.site.overview import write_overview
from procgen_bench.leaderboards.site.section import Section
from tests.leaderboards.entries import entry


def feed_of(name: str) -> dict:
    """A benchmark with one row."""
    benchmark = get_benchmark(name)
    row = entry("dqn", ("a", 0.5), benchmark=(benchmark.id, benchmark.version))
    return benchmark_feed(Section(benchmark, table_of(benchmark, [row])))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["grid-world/target-c"], None),
        (["grid-world/target-c", "xland/hand-authored"], "No floor is measured on xland/hand-authored: there, 0 is"),
    ],
)
def test_the_index_names_benchmarks_without_a_measured_floor(names, said, tmp_path):
    feeds = [feed_of(name) for name in names]
    write_overview([IndexedBenchmark(feed, {}, True, False) for feed in feeds], tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "Normalised score: 0 for the best floor" in page
    assert re.findall(r"No floor is measured on .*there, 0 is", page) == ([] if said is None else [said])

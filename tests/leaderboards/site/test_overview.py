"""The index of a board: where its normalised scores count from."""

import re

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.site.board_snapshot import BoardSnapshot
from procgen_bench.leaderboards.site.comparison import IndexedBenchmark
from procgen_bench.leaderboards.site.feed import benchmark_feed
from procgen_bench.leaderboards.site.overview import write_overview


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["grid-world/target-c"], None),
        (["grid-world/target-c", "xland/hand-authored"], "No floor is measured on xland/hand-authored: there, 0 is"),
    ],
)
def test_the_index_names_benchmarks_without_a_measured_floor(names, said, tmp_path):
    feeds = [benchmark_feed(BoardSnapshot(get_benchmark(name), published_board()).section()) for name in names]
    write_overview([IndexedBenchmark(feed, {}, True, False) for feed in feeds], tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "Normalised score: 0 for the best floor" in page
    assert re.findall(r"No floor is measured on .*there, 0 is", page) == ([] if said is None else [said])

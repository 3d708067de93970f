"""The published board as one small file that ships in the package: for an installation that is no checkout."""

import gzip
import json
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.site.board_snapshot import BoardSnapshot
from procgen_bench.leaderboards.site.feed import benchmark_feed, board_feed

SHIPPED_FILE = Path(__file__).parent / "data" / "board.json.gz"


def packed_board(board: Path) -> bytes:
    """All rows of a board as :func:`~.feed.board_feed` gives them, compressed: the same bytes for the same board.

    Raises:
        CorruptBoardError: A list that the board keeps beside its entries cannot be read.
    """
    feeds = [benchmark_feed(BoardSnapshot(benchmark, board).section()) for benchmark in BENCHMARKS.values()]
    return gzip.compress(board_feed(feeds).encode(), mtime=0)


def shipped_board() -> list[dict[str, Any]]:
    """What the package ships of each benchmark, as :func:`~.feed.benchmark_feed` gives it."""
    return json.loads(gzip.decompress(SHIPPED_FILE.read_bytes()))["benchmarks"]


def newest_epoch(feeds: list[dict[str, Any]]) -> int:
    """The newest epoch of the rows, 0 where there are none."""
    return max((row["epoch"] for feed in feeds for row in feed["rows"]), default=0)

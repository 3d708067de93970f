"""What a board holds of a benchmark, read once: entries first, which tell whether anything has changed; then rows."""

import hashlib
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import BoardContents, Entry, archived_versions, board_contents
from procgen_bench.leaderboards.board.table import table_of
from procgen_bench.leaderboards.site.section import Section


class BoardSnapshot:
    """The entries of a benchmark and of its earlier versions.

    Args:
        benchmark: The benchmark.
        board: The board.

    Raises:
        CorruptBoardError: The board's epochs cannot be read.
    """

    def __init__(self, benchmark: Benchmark, board: Path):
        self.benchmark = benchmark
        self.current = board_contents(benchmark, board)
        self.archive: list[tuple[int, BoardContents]] = [
            (version, board_contents(benchmark, board, version)) for version in archived_versions(benchmark, board)
        ]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.current.entries and not self.current.unreadable and not self.archive

    @property
    def content(self) -> list[Any]:
        """All that tables are made of, as plain JSON, by hashes."""
        every = [self.current, *(contents for _, contents in self.archive)]
        return [
            repr(self.benchmark),
            [[_digest(entry) for entry in contents.entries] for contents in every],
            [[(entry.name, entry.reason) for entry in contents.unreadable] for contents in every],
        ]

    def section(self) -> Section:
        """The rows, with their statistics."""
        return Section(
            self.benchmark,
            table_of(self.benchmark, self.current.entries),
            self.current.unreadable,
            [(version, table_of(self.benchmark, contents.entries)) for version, contents in self.archive],
        )


def _digest(entry: Entry) -> list[Any]:
    """What decides an entry's row."""
    stated = hashlib.sha256(entry.metadata.to_json() + entry.record.to_json()).hexdigest()
    return [entry.name, stated, entry.is_provisional, list(entry.reproduced)]

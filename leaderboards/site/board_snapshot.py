"""What a board holds of a benchmark, read once: entries first, which tell whether anything has changed; then rows."""

from pathlib import Path
from typing import Any

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import BoardContents, archived_versions, board_contents
from procgen_bench.leaderboards.board.known_runs import known_runs
from procgen_bench.leaderboards.board.table import table_of
from procgen_bench.leaderboards.site.section import Section


class BoardSnapshot:
    """The entries of a benchmark and of its earlier versions.

    Args:
        benchmark: The benchmark.
        board: The board.

    Raises:
        CorruptBoardError: It cannot be read whom the board trusts, or which runs it knows.
    """

    def __init__(self, benchmark: Benchmark, board: Path):
        self.benchmark = benchmark
        self.current = board_contents(benchmark, board)
        self._known_runs = known_runs(board) if self.current.entries else {}  # ranks depend on them
        self.archive: list[tuple[int, BoardContents]] = [
            (version, board_contents(benchmark, board, version)) for version in archived_versions(benchmark, board)
        ]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.current.entries and not self.current.unreadable and not self.archive

    @property
    def content(self) -> list[Any]:
        """All that tables are made of, as plain JSON: every record is signed, and names what it is of by hashes."""
        every = [self.current, *(contents for _, contents in self.archive)]
        return [
            repr(self.benchmark),
            sorted((cell, sorted(seeds)) for cell, seeds in self._known_runs.items()),
            [[(entry.name, entry.record.signature) for entry in contents.entries] for contents in every],
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

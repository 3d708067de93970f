"""Numbers that documents state of rows: they stand between marks, and follow from the board.

``<!-- row point-maze/test/sibling-rivalry score -->0.943 (0.905 to 0.968)<!-- end -->`` is rewritten by
``python -m procgen_bench.leaderboards.board.stated README.md docs/results/*.md``.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.table import Row, read_table
from procgen_bench.leaderboards.errors import NoSuchRowError

_MARK = re.compile(r"(<!-- row (?P<row>\S+) (?P<what>\S+) -->).*?(<!-- end -->)", re.DOTALL)
#: What may be stated of a row.
_STATED: dict[str, Callable[[Row], str]] = {
    "score": lambda row: str(row.summary.mean),
    "fresh": lambda row: "none" if row.fresh is None else str(row.fresh),
    "runs": lambda row: str(len(row.counted_runs)),
    "each": lambda row: " ".join(f"{score:.3f}" for score in row.scores.mean(axis=1)),
}


def with_numbers(text: str, board: Path) -> str:
    """A document with the numbers that a board has now.

    Raises:
        NoSuchRowError: A mark names a row that the board does not have, or what is stated of none.
    """

    @cache
    def rows(benchmark_id: str) -> dict[str, Row]:
        return {row.entry.name: row for row in read_table(get_benchmark(benchmark_id), board)}

    def stated(mark: re.Match) -> str:
        benchmark_id, _, name = mark["row"].rpartition("/")
        row = rows(benchmark_id).get(name)
        if row is None or mark["what"] not in _STATED:
            raise NoSuchRowError(
                f"{mark[1]}: {board} has nothing of this name, expected a row and one of {', '.join(_STATED)}"
            )
        return f"{mark[1]}{_STATED[mark['what']](row)}{mark[4]}"

    return _MARK.sub(stated, text)


def main(documents: list[str]) -> None:
    """Rewrite the numbers of these documents, from the checkout's board."""
    board = published_board()
    assert board is not None, "the published board is in a checkout"
    for document in map(Path, documents):
        write_text(document, with_numbers(document.read_text("utf-8"), board))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Numbers that documents state: they follow from the board and from committed runs, and one command writes them.

``python -m procgen_bench.leaderboards.board.stated README.md docs/results/*.md`` rewrites what stands between marks:

``<!-- row point-maze/test/sibling-rivalry score -->0.943 (0.905 to 0.968)<!-- end -->``: one number, by its source
(:mod:`.stated_numbers`) and what of it: ``score``, ``runs``, ``steps``, ``commit`` or ``each``;

``<!-- table claims -->`` ... ``<!-- end -->``: the papers' claims with what is measured here, of
``docs/results/claims.toml``; ``<!-- table claims in short -->``: of each paper the first number, and those that a
reader has to know beside it.

It also draws the charts of these claims (:mod:`.stated_charts`), beside the pages.
"""

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.stated_charts import drawn
from procgen_bench.leaderboards.board.stated_numbers import Sources
from procgen_bench.leaderboards.errors import NoSuchRowError

CLAIMS_FILE = "claims.toml"
_MARK = re.compile(r"(<!-- (?P<source>(?!table )[^\n]*?) (?P<what>\w+) -->).*?(<!-- end -->)")
_TABLE = re.compile(r"(<!-- table (?P<which>claims|claims in short) -->\n).*?(<!-- end -->)", re.DOTALL)
_STATED = ("score", "runs", "steps", "commit", "each")
_HEAD = ("Claim", "Verdict", "Measured here", "Result (95 %)", "Runs", "Steps", "Commit")


class Documents:
    """Writes numbers into documents.

    Args:
        board: The board's folder.
        results: The folder of committed results, which has the claims.
    """

    def __init__(self, board: Path, results: Path):
        self._results = results
        self._sources = Sources(board, results)
        self._number = cache(self._sources.number)

    def rewritten(self, document: Path) -> str:
        """A document's text with the numbers that there are now.

        Raises:
            NoSuchRowError: A mark or a claim names a number that there is not.
        """
        text = _MARK.sub(self._stated, document.read_text("utf-8"))
        return _TABLE.sub(lambda mark: f"{mark[1]}{self._table(document, mark['which'] == 'claims')}\n{mark[3]}", text)

    def _stated(self, mark: re.Match) -> str:
        number = self._number(mark["source"])
        if mark["what"] not in _STATED:
            raise NoSuchRowError(f"{mark[1]}: {mark['what']!r} is not stated, expected {', '.join(_STATED)}")
        return f"{mark[1]}{getattr(number, mark['what'])}{mark[4]}"

    def _table(self, document: Path, is_whole: bool) -> str:
        lines: list[Sequence[str]] = [_HEAD, ["---"] * len(_HEAD)]
        lines += [row for claim in self._claims() for row in self._rows(claim, document.parent, is_whole)]
        return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |") for cells in lines)

    def charts(self) -> dict[Path, bytes]:
        """The charts of the claims: what each file of ``docs/results`` has now."""
        found = {}
        for claim in self._claims():
            for chart in claim.get("charts", []):
                found[self._results / chart["file"]] = drawn(chart, self._sources)
        return found

    def _claims(self) -> list[dict[str, Any]]:
        return tomllib.loads((self._results / CLAIMS_FILE).read_text("utf-8"))["paper"]

    def _rows(self, claim: dict[str, Any], folder: Path, is_whole: bool) -> Iterator[tuple[str, ...]]:
        page = Path(os.path.relpath(self._results / claim["page"], folder)).as_posix()
        first = (f"[{claim['name']}]({page}): {claim['claim']}", claim["verdict"])
        for one in claim["numbers"]:
            if is_whole or one.get("in_short", False):
                number = self._number(one["source"])
                yield (*first, one["what"], number.score, number.runs, number.steps, number.commit)
                first = ("", "")


def main(documents: list[str]) -> None:
    """Rewrite the numbers of these documents, from the checkout's board and its committed results."""
    board = published_board()
    assert board is not None, "the published board is in a checkout"
    writer = Documents(board, board.parents[1] / "docs" / "results")
    for document in map(Path, documents):
        write_text(document, writer.rewritten(document.resolve()))
    for path, content in writer.charts().items():
        write_bytes(path, content)


if __name__ == "__main__":
    main(sys.argv[1:])

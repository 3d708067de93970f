"""Tables of figures as Markdown, with their numbers as JSON beside them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from procgen_bench.core.atomic import write_text
from procgen_bench.leaderboards.sweeps.figure_file import Made


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, a text for each heading in every row."""
    return [f"| {' | '.join(cells)} |" for cells in (headings, ["---"] * len(headings), *rows)]


def write_numbers(
    path: Path,
    lines: Sequence[str],
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Mapping[str, Any],
    below: Sequence[str] = (),
) -> Made:
    """Write a table, ``.md``, between lines, and numbers beside it; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n".join([*lines, *markdown_table(headings, rows), *below]) + "\n")
    write_text(path.with_suffix(".json"), json.dumps(numbers, indent=1) + "\n")
    return Made(headings, rows, {"numbers": path})

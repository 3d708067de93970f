"""Tables as commands print them: whole into pipes and files, with fewer columns where a terminal is narrow."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from procgen_bench.core.printing import print_rich

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

#: Letters that a column of sentences has at least before it is left out or a row takes lines of its own; and of any
#: table that is no terminal's.
_SENTENCE, _WIDEST = 28, 100_000
#: Letters between two columns.
_GAP = 2


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: What stands above it.
        cells: A text for each row.
        number: Whether its cells are numbers, which stand below each other.
        sentence: Whether its cells may go on in the next line, between two words.
        spare: Whether a narrow terminal does without it; the last such column goes first.
    """

    title: str
    cells: Sequence[str]
    number: bool = False
    sentence: bool = False
    spare: bool = False

    @property
    def words(self) -> list[str]:
        """What is never broken: whole cells, or words where the cells are sentences."""
        return [word for cell in self.cells for word in (cell.split() if self.sentence else [cell])]

    @property
    def least(self) -> int:
        """The width below which something is broken."""
        longest = max(map(len, [*self.title.split(), *self.words]), default=0)
        return min(max(longest, _SENTENCE), self.whole) if self.sentence else longest

    @property
    def whole(self) -> int:
        """The width at which every cell is one line."""
        return max(map(len, [*self.title.split(), *self.cells]), default=0)


def print_table(
    columns: Iterable[Column], title: str = "", caption: str = "", console: "Console | None" = None
) -> None:
    """Print a table of columns; those that are empty throughout are left out.

    Into a pipe or a file every cell is one line. A terminal that is too narrow does without spare columns, and says
    which; where it is too narrow for the others, each row takes lines of its own. No cell is cut, and none but
    sentences is broken.
    """
    from rich.console import Console
    from rich.text import Text

    console = console or Console()
    shown = [column for column in columns if any(column.cells)]
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDEST, color_system=None)
        table = _rich(shown, title, [max(len(column.title), column.whole) for column in shown])
        print_rich(console, table, *([Text(caption)] if caption else []))
        return
    kept = _fitting(shown, console.width)
    if sum(column.least + _GAP for column in kept) > console.width:
        kept = shown
        _print_rows(kept, title, console)
    else:
        console.print(_rich(kept, title, _widths(kept, console.width)))
    left_out = [column.title for column in shown if column not in kept]
    if left_out:
        caption = f"{caption} Not shown for want of room: {', '.join(left_out)}.".strip()
    if caption:
        console.print(Text(caption, style="italic"))


def csv_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows by the names of their values as CSV, with the names in the first line; ``None`` is an empty cell."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO()
    writer = csv.DictWriter(written, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def _fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns without the last spare ones, as few as a width allows."""
    kept = list(columns)
    for column in reversed(columns):
        if sum(one.least + _GAP for one in kept) <= width:
            break
        if column.spare:
            kept.remove(column)
    return kept


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """The width of each column: what it needs at least, and for sentences a share of the room that is left."""
    widths = [column.least for column in columns]
    room = width - sum(widths) - _GAP * len(columns)
    sentences = sorted((column.whole - column.least, place) for place, column in enumerate(columns) if column.sentence)
    for number, (wanted, place) in enumerate(sentences):
        more = min(wanted, room // (len(sentences) - number))
        widths[place], room = widths[place] + more, room - more
    return widths


def _rich(columns: Sequence[Column], title: str, widths: Sequence[int]) -> "RichTable":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, _GAP - 1, 0, 0),  # beside a blank of the box's
        pad_edge=False,
        show_edge=False,
    )
    for column, width in zip(columns, widths, strict=True):
        justify: Any = "right" if column.number else "left"
        table.add_column(Text(column.title), justify=justify, width=width)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    return table


def _print_rows(columns: Sequence[Column], title: str, console: "Console") -> None:
    """Each row in lines of its own, which the terminal may break: the first cell, and below it the others by name."""
    lines = [title] if title else []
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines.append(cells[0])
        lines += [f"  {column.title}: {cell}" for column, cell in zip(columns[1:], cells[1:]) if cell]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

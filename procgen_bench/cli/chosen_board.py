"""The board that commands work on."""

from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.core.paths import nearest_folder

BoardOption = Annotated[
    Path | None,
    typer.Option("--board", help="The board's folder; in a checkout, by default its own.", metavar="DIR"),
]


def chosen_board(board: Path | None, must_exist: bool = False) -> Path:
    """The board that was named, or the published one of the checkout; ``must_exist``: one that is only read."""
    from procgen_bench.leaderboards.board.board import published_board

    chosen = board or published_board()
    if chosen is None:
        raise typer.BadParameter("this is no checkout with a board of its own; name one: --board DIR")
    if must_exist and not chosen.is_dir():
        raise typer.BadParameter(f"--board: {chosen} is no folder; `procgen-bench submit` makes a board")
    nearest_folder(chosen)  # many commands only read it
    return chosen


def board_of(row: str, board: Path | None) -> Path:
    """The board of a row: an entry's folder lies on its own."""
    from procgen_bench.leaderboards.board.board import is_entry

    folder = Path(row)
    return folder.resolve().parents[3] if is_entry(folder) else chosen_board(board, must_exist=True)

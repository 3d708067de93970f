"""Printing what rich lays out: into pipes and files without the blanks with which rich fills every line."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def print_rich(console: "Console", *parts: "RenderableType") -> None:
    """Print parts one after the other, where it is no terminal without blanks at the ends of lines."""
    if console.is_terminal:
        for part in parts:
            console.print(part)
        return
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))

"""Options of commands that serve a page to the person's browser."""

from collections.abc import Callable
from typing import Annotated

import typer

PortOption = Annotated[
    int | None, typer.Option(min=1, max=65535, help="Port of this machine for the browser's page. Default: any.")
]
OpenOption = Annotated[
    bool | None,
    typer.Option("--open/--no-open", help="Open the browser, or only print the address. Default: open it."),
]


def opener(open_browser: bool | None) -> Callable[[str], object]:
    """What gets the page's address: the person's browser, or nothing."""
    import webbrowser

    return webbrowser.open if open_browser is not False else lambda address: None

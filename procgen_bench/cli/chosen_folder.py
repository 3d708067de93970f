"""Options that take a name or a folder."""

from collections.abc import Sequence
from pathlib import Path

import typer


def check_named_or_folder(option: str, value: str | None, names: Sequence[str]) -> None:
    """Refuse a value that is neither one of the names nor a folder; ``None``: the option was not given."""
    if value is not None and value not in names and not Path(value).is_dir():
        raise typer.BadParameter(f"{option} is {value!r}, expected {', '.join(names)}, or a folder that exists")

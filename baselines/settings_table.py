"""The settings of a run, as they are printed before it is trained."""

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Group

#: Marks what differs from the defaults.
_MARK = "*"


def settings_table(title: str, configuration: Any) -> "Group":
    """A configuration dataclass as a compact table for rich: as many settings in a row as the terminal has room for.

    Args:
        title: What is trained.
        configuration: Its settings; what differs from the defaults is bold, and marked by an asterisk.
    """
    from rich.columns import Columns
    from rich.console import Group
    from rich.text import Text

    cells, changed = [], False
    for field in dataclasses.fields(configuration):
        value = getattr(configuration, field.name)
        is_changed = value != field.default
        changed |= is_changed
        cells.append(
            Text.assemble(
                (f"{field.name} ", "dim"),
                (_shown(value) + _MARK * is_changed, "bold" if is_changed else ""),
            )
        )
    told = f"{_MARK} differs from the default" if changed else "all are the defaults"
    return Group(Text(title, "bold"), Columns(cells, padding=(0, 3)), Text(told, "dim"))


def _shown(value: Any) -> str:
    if value is None:
        return "(by environment)"
    return f"{value:g}" if isinstance(value, float) else str(value) or '""'

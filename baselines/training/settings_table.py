"""The settings of a run, as they are printed before it is trained."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from procgen_bench.core.printing import print_rich

if TYPE_CHECKING:
    from rich.console import Group

    from procgen_bench.baselines.training.run_folder import RunFolder

_SHOWN: ContextVar[bool] = ContextVar("settings_shown", default=False)
#: Marks what differs from the defaults.
_MARK = "*"


@contextmanager
def settings_shown() -> Iterator[None]:
    """Runs that are trained inside print their settings when they begin."""
    token = _SHOWN.set(True)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def show_settings(run: "RunFolder") -> None:
    """Print the settings of a run that begins, where :func:`settings_shown` asks for it."""
    from rich.console import Console

    if _SHOWN.get():
        budget = " (the benchmark's budget, the default)" if run.steps == run.benchmark.interaction_budget else ""
        title = f"{run.method} on {run.benchmark.id}, seed {run.seed}, {run.steps:,} steps{budget}, in {run.path}"
        untouched = type(run.configuration).within(run.benchmark.environment_id)
        print_rich(Console(highlight=False), settings_table(title, run.configuration, untouched))


def settings_table(title: str, configuration: Any, untouched: Any) -> "Group":
    """A configuration dataclass as a compact table for rich: as many settings in a row as the terminal has room for.

    Args:
        title: What is trained.
        configuration: Its settings; what differs from the defaults is bold, and marked by an asterisk.
        untouched: The defaults, in the environment that is trained in.
    """
    from rich.columns import Columns
    from rich.console import Group
    from rich.text import Text

    cells = []
    for field in dataclasses.fields(configuration):
        value = getattr(configuration, field.name)
        is_changed = value != getattr(untouched, field.name)
        cells.append(
            Text.assemble(
                (f"{field.name} ", "dim"),
                (_shown(value) + _MARK * is_changed, "bold" if is_changed else ""),
            )
        )
    legend = f"{_MARK} differs from the default" if configuration != untouched else "all are the defaults"
    return Group(Text(title, "bold"), Columns(cells, padding=(0, 3)), Text(legend, "dim"))


def _shown(value: Any) -> str:
    if value is None:
        return "(by environment)"
    return f"{value:g}" if isinstance(value, float) else str(value) or '""'

"""``procgen-bench train METHOD BENCHMARK``: one subcommand per trainable method."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from procgen_bench.baselines.method_table import METHODS


class _TrainingCommands(Mapping[str, Any]):
    """The subcommand of every trainable method, whose module is imported when the subcommand is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in list(self):
            raise KeyError(name)
        from procgen_bench.baselines.training.command_line import training_app

        return typer.main.get_command(training_app(METHODS[name]))

    def __iter__(self) -> Iterator[str]:
        return (method.name for method in METHODS.values() if method.trainable)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _TrainingGroup(TyperGroup):
    def __init__(self, **attributes: Any):
        super().__init__(**attributes | {"commands": _TrainingCommands()})


def register(app: typer.Typer) -> None:
    """Add ``train`` to the command line."""
    methods = typer.Typer(
        cls=_TrainingGroup, help="Train a method for a benchmark; a killed run resumes from its folder."
    )
    app.add_typer(methods, name="train")

"""The command line, the top layer: commands import what they need when they run, not before."""

from typing import Annotated

import typer

from procgen_bench.cli import (
    board,
    catalogue,
    compile,
    doctor,
    edit,
    export,
    fragments,
    generations,
    leaderboard,
    play,
    probe,
    render,
    report,
    reproduce,
    runs,
    scoring,
    serve,
    submissions,
    sweep,
    training,
)
from procgen_bench.core.command_line import run
from procgen_bench.core.own_code import TRUSTED_MODULES, trust
from procgen_bench.core.version import __version__

app = typer.Typer(
    name="procgen-bench",
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"procgen-bench {__version__}")
        raise typer.Exit


def _import(modules: list[str] | None) -> None:
    trust(modules or ())


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            callback=_import,
            envvar=TRUSTED_MODULES,
            help="Import code of yours first: what it registers is known, and policies may be built of its networks.",
        ),
    ] = None,
) -> None:
    """Environments whose tasks are generated, reference methods, and leaderboards that anyone can compute again.

    **Examples**

    ```
    procgen-bench list
    procgen-bench play GridWorld-v0 --task targets/A
    procgen-bench render --policy solver --env GridWorld-v0 --task targets/C --out solution.gif
    ```
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for group in (
    catalogue,
    compile,
    play,
    edit,
    serve,
    training,
    sweep,
    generations,
    runs,
    export,
    scoring,
    submissions,
    leaderboard,
    board,
    probe,
    report,
    render,
    reproduce,
    fragments,
    doctor,
):
    group.register(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; see :func:`procgen_bench.core.command_line.run`."""
    run(app, "procgen-bench", arguments)

"""``procgen-bench train METHOD BENCHMARK``: one subcommand per trainable method."""

import typer


def register(app: typer.Typer) -> None:
    """Add ``train`` to the command line."""
    from procgen_bench.baselines.command_line import training_function
    from procgen_bench.baselines.methods import METHODS

    methods = typer.Typer(help="Train a method for a benchmark; a killed run resumes from its folder.")
    for method in METHODS.values():
        if method.trainable:
            methods.command(method.name)(training_function(method))
    app.add_typer(methods, name="train")

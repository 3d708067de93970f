"""The training command of a method: its configuration's fields are the options, their descriptions the help."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from procgen_bench.baselines.methods import METHODS, Method
from procgen_bench.benchmark import find_benchmark
from procgen_bench.command_line import run

BenchmarkArgument = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="What to train for, e.g. grid-world/graded.")
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the run.")]
StepsOption = Annotated[
    int | None, typer.Option(min=1, help="Environment steps to train for; the benchmark's budget by default.")
]
OutOption = Annotated[
    Path | None,
    typer.Option(help="Run folder, resumed if it holds this run; runs/METHOD/BENCHMARK/seed-N by default."),
]


def training_function(method: Method) -> Callable[..., None]:
    """A function for typer: benchmark, seed, steps, out, and one option per field of the method's configuration."""
    configuration_type = method.load("configuration")

    def train(benchmark: str, seed: int, steps: int | None, out: Path | None, **options: Any) -> None:
        found = find_benchmark(benchmark)
        folder = out or Path("runs") / method.name / benchmark / f"seed-{seed}"
        configuration = configuration_type(**options)
        run = method.load("train")(found, configuration, seed, steps or found.interaction_budget, folder)
        typer.echo(f"run: {run.path}\npolicy: {run.policy_path}")

    parameters = [
        _parameter("benchmark", BenchmarkArgument),
        _parameter("seed", SeedOption, 0),
        _parameter("steps", StepsOption, None),
        _parameter("out", OutOption, None),
        *(_field_parameter(field) for field in dataclasses.fields(configuration_type)),
    ]
    train.__signature__ = inspect.Signature(parameters)
    train.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    train.__doc__ = (
        f"{method.description}\n\n{configuration_type.__doc__}\n\n"
        f"Example: procgen-bench train {method.name} grid-world/target-a --seed 1 --steps 20000 --out runs/first"
    )
    return train


def main(method: str) -> None:
    """Run a method's training command as a program of its own."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(training_function(METHODS[method]))
    run(app, f"python -m procgen_bench.baselines.{method.replace('-', '_')}")


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _field_parameter(field: dataclasses.Field) -> inspect.Parameter:
    annotation = Annotated[field.type, typer.Option(help=field.metadata["description"])]
    return _parameter(field.name, annotation, field.default)

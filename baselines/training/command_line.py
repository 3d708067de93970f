"""The settings of a run, as they are printed before it is trained."""

import dataclasses
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from procgen_bench.baselines.method_table import METHODS, Method
from procgen_bench.baselines.training.reporting import WeightsAndBiases, reporting_to
from procgen_bench.baselines.training.settings import PaperDefaults
from procgen_bench.baselines.training.settings_table import settings_shown
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.command_line import complete_benchmark, run
from procgen_bench.core.paths import check_folder

if TYPE_CHECKING:
    from procgen_bench.baselines.training.run_folder import RunFolder


BenchmarkArgument = Annotated[
    str,
    typer.Argument(
        metavar="BENCHMARK", help="What to train for, e.g. grid-world/graded.", autocompletion=complete_benchmark
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the run.")]
StepsOption = Annotated[
    int | None, typer.Option(min=1, help="Environment steps to train for; the benchmark's budget by default.")
]
OutOption = Annotated[
    Path | None,
    typer.Option(help="Run folder, resumed if it holds this run; runs/METHOD/BENCHMARK/seed-N by default."),
]
WandbOption = Annotated[
    str | None,
    typer.Option(
        metavar="PROJECT",
        help="A project of Weights & Biases that gets settings and curve, too (extra `wandb`); "
        "`WANDB_MODE=offline` keeps them in the run folder.",
    ),
]


def training_function(method: Method) -> Callable[..., None]:
    """A function for typer: benchmark, seed, steps, out, wandb, and one option per field of the configuration."""
    own, *of_families = method.configurations()
    options_of_all = {field.name: field for kind in (own, *of_families) for field in dataclasses.fields(kind)}

    def train(
        context: typer.Context,
        benchmark: str,
        seed: int,
        steps: int | None,
        out: Path | None,
        wandb: str | None,
        **options: Any,
    ) -> None:
        found = get_benchmark(benchmark)
        method.check_environment(found.environment_id)
        folder = out or Path("runs") / method.name / benchmark / f"seed-{seed}"
        check_folder(folder)
        given = {name: value for name, value in options.items() if _is_given(context, name)}
        configuration = method.configured(found.environment_id, given)
        with reporting_to(WeightsAndBiases(wandb)) if wandb else nullcontext():
            run = train_and_report(method, found, configuration, seed, steps or found.interaction_budget, folder)
        typer.echo(f"run: {run.path}\npolicy: {run.policy_path}")

    parameters = [
        _parameter("context", typer.Context),
        _parameter("benchmark", BenchmarkArgument),
        _parameter("seed", SeedOption, 0),
        _parameter("steps", StepsOption, None),
        _parameter("out", OutOption, None),
        _parameter("wandb", WandbOption, None),
        *map(_field_parameter, options_of_all.values()),
    ]
    train.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # every function may have one
    train.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    train.__doc__ = (
        f"{method.description}\n\n{own.__doc__}\n\n{_further(method)}"
        f"{''.join(_suggestions(kind.suggested) for kind in (own, *of_families))}"
        f"\b\nExample:\n  procgen-bench train {method.name} {_suited_benchmark(method)} --seed 1"
    )
    return train


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, or wherever else typer looks."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _further(method: Method) -> str:
    """What help says of options that families add."""
    known = {field.name for field in dataclasses.fields(method.load("configuration"))}
    lines: dict[str, list[str]] = {}
    for environment, own in method.families.items():
        names = [one.name for one in dataclasses.fields(own.load("configuration")) if one.name not in known]
        lines.setdefault(", ".join(f"--{name.replace('_', '-')}" for name in names), []).append(environment)
    return "".join(f"In {' and '.join(where)} alone: {names}.\n\n" for names, where in lines.items())


def _suggestions(by_environment: PaperDefaults) -> str:
    """What help says of other defaults."""
    lines = [
        f"In {environment}, unless they are given: {', '.join(f'{name} {value}' for name, value in settings.items())}."
        for environment, settings in by_environment.items()
    ]
    return "".join(f"{line}\n\n" for line in lines)


def _suited_benchmark(method: Method) -> str:
    """The first benchmark in whose environment the method learns."""
    return next(name for name, benchmark in BENCHMARKS.items() if method.suits(benchmark.environment_id))


def train_and_report(
    method: Method, benchmark: Benchmark, configuration: Any, seed: int, steps: int, folder: Path
) -> "RunFolder":
    """Train a run to its last step; its settings are printed as soon as nothing is left that could be refused."""
    with settings_shown():
        return method.train(benchmark, configuration, seed, steps, folder)


def training_app(method: Method) -> typer.Typer:
    """The application whose one command is a method's training."""
    # Without rich, whose panels cut the names of options off where a terminal has 80 columns.
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(method.name)(training_function(method))
    return app


def main(method: str, arguments: list[str] | None = None) -> NoReturn:
    """Run a method's training command as a program of its own and exit; see :func:`.run`."""
    run(training_app(METHODS[method]), f"python -m procgen_bench.baselines.{method.replace('-', '_')}", arguments)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _field_parameter(field: dataclasses.Field) -> inspect.Parameter:
    shown = field.metadata["range"].shown if field.metadata.get("range") else {}
    annotation: Any = Annotated[field.type, typer.Option(help=field.metadata["description"], **shown)]
    return _parameter(field.name, annotation, field.default)

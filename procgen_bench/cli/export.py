"""``procgen-bench export RUN``: a trained policy, or generator, as one file that is used without trusting it."""

from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.extras import check_modules, import_extra


def register(app: typer.Typer) -> None:
    """Add ``export`` to the command line."""
    app.command()(export)


def export(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run, or of its policy.", exists=True, file_okay=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="File to write; by default `RUN/policy.onnx` or `RUN/generator.onnx`."
        ),
    ] = None,
    generator: Annotated[
        bool,
        typer.Option("--generator", help="Export the generator of the run's teacher (`code` and its rivals) instead."),
    ] = False,
) -> None:
    """Write a trained policy as one ONNX file that maps observations to actions.

    With `--generator` it is the generator of the run's teacher, which maps noise to designs. The same policy, or
    generator, gives the same bytes; their SHA-256 stands for it.

    **Examples**

    ```
    procgen-bench export runs/1
    procgen-bench export runs/1/policy -o policy.onnx
    procgen-bench export runs/1 --generator
    ```
    """
    from procgen_bench.baselines.policies.onnx.sandbox.policy import policy_file_hash
    from procgen_bench.core.atomic import write_bytes
    from procgen_bench.core.paths import check_file
    from procgen_bench.leaderboards.evaluation.policy_files import EXPORTED_WITH

    path = out or run / ("generator.onnx" if generator else "policy.onnx")
    if out is not None:
        check_file(out)
    check_modules(*EXPORTED_WITH)
    if generator:
        export_from = import_extra("procgen_bench.baselines.papers.code.generator_export").export_run
    else:
        export_from = import_extra("procgen_bench.baselines.policies.onnx.export").export_folder
    what = "generator" if generator else "policy"
    typer.echo(f"tracing the {what} of {run} and checking the ONNX model ...", err=True)
    file = export_from(run)
    check_file(path)
    if path.exists() and path.read_bytes() != file:
        raise InvalidOptionError(f"{path} exists and holds something else; choose another --out")
    write_bytes(path, file)
    typer.echo(f"wrote {path}: {len(file)} bytes, SHA-256 {policy_file_hash(file)}")

"""``sweep``: many training runs from one file, to a table, a file of results and a picture of their curves."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.baselines.training.command_line import WandbOption
from procgen_bench.cli.parallel import RayOption, RunsOption, workers_of
from procgen_bench.cli.tables import Column, print_table
from procgen_bench.core.extras import import_extra
from procgen_bench.core.paths import check_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from procgen_bench.leaderboards.sweeps.results import ResultRow
    from procgen_bench.leaderboards.sweeps.training import Failure


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(sweep)


def sweep(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.toml",
            help="Methods, benchmarks, teachers, seeds, steps and options.",
            exists=True,
            dir_okay=False,
        ),
    ],
    workers: RunsOption = None,
    ray: RayOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder of runs and results; runs/FILE by default."),
    ] = None,
    wandb: WandbOption = None,
) -> None:
    """Train every method under every teacher for every benchmark with every seed, and show the results.

    The same command continues where it was stopped: finished runs are kept, others continue from their checkpoints. A
    run that fails does not stop the others; it is reported at the end, with exit code 1.

    A small file (`teachers`, `steps`, `options` and `teacher_options` may be left out):

    ```
    methods = ["ppo", "a2c"]
    benchmarks = ["grid-world/graded"]
    teachers = ["uniform", "accel"]
    seeds = 5
    steps = 200_000

    [options]
    evaluate_every = 20_000

    [options.a2c]
    learning_rate = 5e-4

    [teacher_options.accel]
    buffer_size = 1000
    ```

    **Examples**

    ```
    procgen-bench sweep sweep.toml
    procgen-bench sweep sweep.toml --workers 8 --out runs/curricula
    procgen-bench sweep sweep.toml --ray head:6379 --wandb curricula
    ```
    """
    from procgen_bench.leaderboards.sweeps.results import result_rows, write_results
    from procgen_bench.leaderboards.sweeps.sweep_file import read_sweep
    from procgen_bench.leaderboards.sweeps.training import train_cells

    folder = out or Path("runs") / file.stem
    check_folder(folder)
    cells = read_sweep(file).cells(folder)
    drawing = import_extra("procgen_bench.leaderboards.sweeps.drawing")
    if wandb:
        import_extra("wandb")
    failures = train_cells(cells, workers_of(workers, ray), wandb)
    rows = result_rows(cells)
    folder.mkdir(parents=True, exist_ok=True)
    write_results(rows, failures, shlex.join(["procgen-bench", *sys.argv[1:]]), folder)
    _print(rows)
    written = [folder / "results.json", folder / "results.csv"]
    if any(row.curves for row in rows):
        written.append(folder / "curves.png")
        drawing.draw_curves([row.group for row in rows], list(dict.fromkeys(row.metric for row in rows)), written[-1])
    for path in written:
        typer.echo(f"wrote {path}")
    if failures:
        _tell(failures, len(cells))
        raise typer.Exit(1)


def _print(rows: "Sequence[ResultRow]") -> None:
    from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

    caption = "At the last evaluation in training."
    has_intervals = any(len(row.seeds) >= FEWEST_RUNS for row in rows)
    if has_intervals:
        caption += f" In brackets 95 % intervals, of at least {FEWEST_RUNS} runs."
    outcomes = [row.outcome for row in rows]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    mean = metrics[0] if len(metrics) == 1 else "mean"
    seeds = [f"{len(row.seeds)}" + ("" if len(row.seeds) == row.asked else f" of {row.asked}") for row in rows]
    columns = [
        Column("benchmark", [row.benchmark for row in rows]),
        Column("method", [row.method for row in rows]),
        Column("teacher", [row.teacher or "-" for row in rows]),
        Column("metric", [row.metric if len(metrics) > 1 else "" for row in rows]),
        Column(mean, [str(found.mean) if found else "" for found in outcomes], number=True),
        Column(
            "IQM",
            [str(found.interquartile_mean) if found and has_intervals else "" for found in outcomes],
            number=True,
            spare=True,
        ),
        Column("worst tenth", [str(row.worst_tenth or "") for row in rows], number=True, spare=True),
        Column("seeds", seeds, number=True),
        Column("steps", [f"{found.steps:,}" if found else "" for found in outcomes], number=True, spare=True),
        Column(
            "minutes", [f"{found.seconds / 60:.1f}" if found else "" for found in outcomes], number=True, spare=True
        ),
    ]
    print_table(columns, caption=caption)


def _tell(failures: "Sequence[Failure]", count: int) -> None:
    typer.echo(f"{len(failures)} of {count} runs failed; the same command tries them again:", err=True)
    for failure in failures:
        typer.echo(f"  {failure.cell.name}: {failure.reason} (its output: {failure.cell.log})", err=True)

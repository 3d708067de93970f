"""``reproduce``: a paper's figure, from its training runs to the picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from procgen_bench.leaderboards.reproduction.sweep import SweepRun

#: Where each paper's figures are described.
_PAPERS = {"sibling-rivalry": "procgen_bench.baselines.sibling_rivalry.figures"}


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(reproduce)


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of: {', '.join(_PAPERS)}.")],
    figure: Annotated[int, typer.Option(help="Number of the figure in the paper.")],
    panel: Annotated[list[str] | None, typer.Option(help="Only this panel (may be repeated).")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Only the curve of this label (may be repeated).")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs per curve. Default: the figure's.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps per run. Default: the panel's.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time, one process and one thread each.")] = 2,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs and pictures. Default: runs/PAPER.")] = None,
    train: Annotated[bool, typer.Option(help="Whether to train what is missing; otherwise only draws.")] = True,
) -> None:
    """Train the runs of a paper's figure (again: only what is missing) and draw them beside the paper's claim.

    **Examples**

    ```
    procgen-bench reproduce sibling-rivalry --figure 3 --panel point-maze
    procgen-bench reproduce sibling-rivalry --figure 7 --seeds 2 --steps 1000000 --jobs 8
    procgen-bench reproduce sibling-rivalry --figure 4 --no-train
    ```
    """
    from rich.console import Console

    figures = _figures(paper)
    if figure not in figures:
        raise typer.BadParameter(f"{paper} has no figure {figure} of runs, expected one of {sorted(figures)}")
    sweep = import_extra("procgen_bench.leaderboards.reproduction.sweep", "baselines", ("torch", "matplotlib"))
    drawing = import_extra("procgen_bench.leaderboards.reproduction.drawing", "baselines", ("torch", "matplotlib"))
    folder = out or Path("runs") / paper
    runs = sweep.sweep_runs(figures[figure], folder, panel or [], method or [], seeds, steps)
    if train:
        sweep.run_sweep(runs, jobs)
    begun = [run for run in runs if run.read_curve()]
    if not begun:
        raise typer.BadParameter(f"{folder} holds no run of this figure; leave --no-train out to train them")
    picture = folder / f"figure-{figure}.png"
    drawing.draw_figure(figures[figure], begun, picture)
    Console(markup=False).print(_results(begun))
    typer.echo(f"picture: {picture}")


def _figures(paper: str):
    import importlib

    if paper not in _PAPERS:
        raise typer.BadParameter(f"there is no paper {paper!r}, expected one of {sorted(_PAPERS)}")
    return importlib.import_module(_PAPERS[paper]).FIGURES


def _results(runs: "Sequence[SweepRun]") -> "Table":
    """Every curve's success at the end, over its runs."""
    from rich.table import Table

    from procgen_bench.leaderboards.reproduction.summary import result

    table = Table("benchmark", "method", "success", "95 % interval", "runs", "least steps", "minutes a run")
    curves = {(run.panel.name, run.curve.label): run for run in runs}
    for (name, label), example in curves.items():
        found = result(label, [run for run in runs if (run.panel.name, run.curve.label) == (name, label)])
        low, high = found.final.low, found.final.high
        table.add_row(
            example.panel.benchmark,
            label,
            f"{found.final.value:.3f}",
            "" if low is None else f"{low:.3f} to {high:.3f}",
            " ".join(f"{success:.2f}" for success in found.runs),
            f"{found.steps:,}",
            f"{found.seconds / 60:.1f}",
        )
    return table

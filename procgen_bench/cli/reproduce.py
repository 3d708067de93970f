"""``reproduce``: a paper's figure, from its plan and its training runs, or the code that it names, to the picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.parallel import RayOption, workers_of
from procgen_bench.cli.tables import Column, print_table
from procgen_bench.core.extras import import_extra
from procgen_bench.core.paths import check_folder, check_named_or_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from procgen_bench.engine.parallel import Workers
    from procgen_bench.leaderboards.sweeps.figure_file import Made, PaperFigure
    from procgen_bench.leaderboards.sweeps.figure_runs import SweepRun

_PAPERS = ("sibling-rivalry", "apt-gen", "code", "alphanpi-x", "xland")
#: Options of which figures take some, by their parameters.
_OPTIONS = {name: f"--{name}" for name in ("panel", "method", "seeds", "steps", "jobs", "ray", "samples", "seed")}
_OPTIONS |= {"train": "--no-train", "policy": "--policy", "setting": "--set", "by_value": "--by-value"}


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(reproduce)


def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of: {', '.join(_PAPERS)}.")],
    figure: Annotated[int | None, typer.Option(help="Number of the figure in the paper.")] = None,
    table: Annotated[int | None, typer.Option(help="Number of the table in the paper, in place of a figure.")] = None,
    panel: Annotated[
        list[str] | None, typer.Option(help="Runs: only this panel (may be repeated; the first is trained first).")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="Runs: only this label's curve (may be repeated; the first is trained first)."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs per curve. Default: the figure's.")] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Steps per run, or per player of those that share a run. Default: the panel's."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "--workers", min=1, help="Runs at a time, one process and one thread each.")
    ] = 2,
    ray: RayOption = None,
    train: Annotated[bool, typer.Option(help="Whether to train what is missing; otherwise only draws.")] = True,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Generated tasks, episodes of a table, chains of calls: how many. Default: the paper's, or less.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Generated tasks, tables, calls: the seed. Default: 0.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays, or what is finetuned: a policy's folder or name (where several are compared repeated, the "
            "earliest first: generations, or their folder; checkpoints, or a run with --keep-policies). Default: "
            "trained, the policy that comes with the package; a planner of another library is trained in OUT/planner."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of this figure alone (may be repeated); an unknown NAME lists them.",
        ),
    ] = None,
    by_value: Annotated[
        bool,
        typer.Option("--by-value", help="Tables of sites: success by what boxes, options and lists are to be, too."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs and pictures. Default: runs/PAPER.")] = None,
) -> None:
    """Draw a paper's figure beside its claim: training runs (missing ones are trained), generated tasks, or an agent.

    **Examples**

    ```
    procgen-bench reproduce sibling-rivalry --figure 3 --panel point-maze
    procgen-bench reproduce sibling-rivalry --figure 7 --seeds 2 --steps 1000000 --jobs 8
    procgen-bench reproduce sibling-rivalry --figure 4 --no-train
    procgen-bench reproduce apt-gen --figure 3 --panel grid-c --panel grid-a --method APT-Gen --method DQN --seeds 1
    procgen-bench reproduce xland --figure 5
    procgen-bench reproduce xland --figure 35 --samples 300 --seed 1
    procgen-bench reproduce xland --figure 16 --method "skills in order" --seeds 1
    procgen-bench reproduce xland --figure 25
    procgen-bench reproduce xland --figure 26 --steps 1000000 --policy runs/ppo
    procgen-bench reproduce xland --figure 27 --policy runs/ppo/policy
    procgen-bench reproduce code --table 1 --panel keys --method CoDE --seeds 1 --by-value
    procgen-bench reproduce alphanpi-x --figure 5
    procgen-bench reproduce alphanpi-x --figure 1 --set program=Clean_Table --set failing=0.2
    procgen-bench reproduce alphanpi-x --figure 9 --set atomic=runs/goals
    procgen-bench reproduce alphanpi-x --table 2
    procgen-bench reproduce alphanpi-x --table 2 --set library=3
    procgen-bench reproduce alphanpi-x --table 2 --policy runs/planner --set model=runs/planner/model
    ```
    """
    folder = out or Path("runs") / paper
    check_folder(folder)
    found = _find_figure(paper, figure, table)
    _refuse(context, found, paper)
    if policy is not None and len(policy) > 1 and len(found.policies) < 2:
        raise typer.BadParameter(f"{found.kind} {found.number} takes one policy, not {len(policy)}")
    if found.panels:
        if policy:
            check_named_or_folder("--policy", policy[0], found.policies)
            found = found.begun_from(policy[0])
        shown = _reproduce_runs(found, folder, panel or [], method or [], seeds, steps, workers_of(jobs, ray), train)
        if found.table is not None:
            table_of = import_extra("procgen_bench.leaderboards.reproduction.site_table")
            for made in table_of.write_sites(found, shown, folder, by_value):
                _print(made)
        return
    from procgen_bench.leaderboards.sweeps.figure_file import Asked

    asked = Asked(folder, samples, seed, policy or [], found.with_settings(setting or []))
    module, _, function = (found.code or _MEASURED).partition(":")
    _print(getattr(import_extra(module), function)(found, asked))


#: What makes figures whose numbers are measured.
_MEASURED = "procgen_bench.leaderboards.reproduction.measured:reproduce"


def _find_figure(paper: str, figure: int | None, table: int | None) -> "PaperFigure":
    if paper not in _PAPERS:
        raise typer.BadParameter(f"there is no paper {paper!r}, expected one of {[*_PAPERS]}")
    if (figure is None) == (table is None):
        raise typer.BadParameter("give --figure, the figure's number, or --table, the table's")
    read_figure = import_extra("procgen_bench.leaderboards.sweeps.figure_file").read_figure
    return read_figure(paper, table, "table") if figure is None else read_figure(paper, figure)


def _refuse(context: typer.Context, figure: "PaperFigure", paper: str) -> None:
    """Refuse options that do not go with the figure."""
    taken = figure.command_options
    for name, option in _OPTIONS.items():
        source = context.get_parameter_source(name)
        if name not in taken and source is not None and source.name == "COMMANDLINE":
            known = ", ".join(_OPTIONS[one] for one in taken) or "no option but --out"
            number = figure.number if figure.table is None else figure.table
            kind = figure.kind if figure.table is None else "table"
            raise typer.BadParameter(f"{option} does not go with {kind} {number} of {paper}, which takes {known}")


def _reproduce_runs(
    figure: "PaperFigure",
    folder: Path,
    panels: list[str],
    methods: list[str],
    seeds: int | None,
    steps: int | None,
    workers: "Workers",
    train: bool,
) -> "Sequence[SweepRun]":
    """The runs that the figure is drawn from."""
    drawing, results, runs_of, training = (
        import_extra(f"procgen_bench.leaderboards.{module}")
        for module in ("reproduction.drawing", "reproduction.results", "sweeps.figure_runs", "sweeps.training")
    )
    runs = runs_of.sweep_runs(figure, folder, panels, methods, seeds, steps)
    failures = training.train_cells(runs, workers) if train else []
    shown = runs_of.shown_runs(runs)
    if not shown:
        runs_of.check_trained(failures, runs)
        raise typer.BadParameter(f"{folder} holds no run of this figure; leave --no-train out to train them")
    drawn = drawing.draw_figure(figure, shown, folder / f"{figure.name}.png")
    _print(results.write_results(figure, shown, folder / f"{figure.name}.md"))
    typer.echo(f"picture: {folder / figure.name}.png")
    if beside := drawing.draw_beside(figure, shown, folder / f"{figure.name}.png"):
        typer.echo(f"picture: {beside}")
    _tell_missing(runs, shown, drawn)
    runs_of.check_trained(failures, runs)
    return shown


def _tell_missing(runs: "Sequence[SweepRun]", shown: "Sequence[SweepRun]", drawn: "Sequence[SweepRun]") -> None:
    if len(shown) < len(runs):
        had = f"the figure has {len(shown)} of {len(runs)} runs"
        typer.echo(f"warning: {had}; the others have not begun, or are not finished", err=True)
    for run in shown:
        if run not in drawn:
            typer.echo(f"warning: {run.folder} holds no levels.jsonl, and is not in the picture", err=True)


def _print(made: "Made") -> None:
    """Print a table that has been written, and where that lies, and pictures."""
    if made.headings:
        rows: Iterable[Sequence[str]] = made.rows
        print_table(Column(name, [row[place] for row in rows]) for place, name in enumerate(made.headings))
    for kind, path in made.files.items():
        typer.echo(f"{kind}: {path}")

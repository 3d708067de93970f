"""``reproduce``: a paper's figure, from its training runs or its generated tasks to the picture."""

import importlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from procgen_bench.cli.chosen_folder import check_named_or_folder
from procgen_bench.cli.paper_table import print_numbers, reproduce_calls, reproduce_table, reproduce_trace
from procgen_bench.cli.parallel import RayOption, workers_of
from procgen_bench.core.extras import import_extra
from procgen_bench.core.paths import check_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from procgen_bench.engine.parallel import Workers
    from procgen_bench.leaderboards.reproduction.paper_figures import PaperFigure
    from procgen_bench.leaderboards.reproduction.sweep import SweepRun
    from procgen_bench.leaderboards.reproduction.xland.gallery import GalleryFigure

#: Where the figures of each paper are described: those that are training runs, and those that show generated tasks.
_SWEEPS = {
    "sibling-rivalry": "procgen_bench.leaderboards.reproduction.sibling_rivalry",
    "apt-gen": "procgen_bench.leaderboards.reproduction.apt_gen",
    "code": "procgen_bench.leaderboards.reproduction.code",
    "alphanpi-x": "procgen_bench.leaderboards.reproduction.alphanpi_x_figures",
    "xland": "procgen_bench.leaderboards.reproduction.xland.learning",
}
_GALLERIES = {"xland": "procgen_bench.leaderboards.reproduction.xland.figures"}
#: Figures of what a trained policy does and knows, and where they are described.
_ANALYSES = {"xland": ("procgen_bench.leaderboards.reproduction.xland.analyses", (13, 19, 22, 25, 27))}
#: Figures of training runs, some of which begin from a policy.
_BEGUN = {"xland": (26,)}
#: The tables of each paper that are played by trained policies.
_TABLES = {"alphanpi-x": (2,)}
#: Figures of one episode that a trained policy plays.
_FILMS = {"alphanpi-x": (1,)}
#: Figures of calls that a trained arm carries out, printed as tables.
_CALLS = {"alphanpi-x": (9,)}
#: Tables of success by site: paper -> number of the table -> that of the figure whose runs it is of; ``None``: its own.
_RUNS_OF_TABLES: dict[str, dict[int, int | None]] = {"code": {1: 7, 3: None}}
#: Arms and policies that have names; others are folders.
_ARMS, _SHIPPED = ("scripted", "learned"), ("trained",)
#: Options that go with one kind alone: parameter -> how it is written.
_OF_SWEEPS = {name: f"--{name}" for name in ("panel", "method", "seeds", "steps", "jobs", "ray")}
_OF_SWEEPS["train"] = "--no-train"
_OF_GALLERIES = {name: f"--{name}" for name in ("samples", "seed")}
_OF_ANALYSES = {"policy": "--policy"}
_OF_TABLES = {name: f"--{name}" for name in ("planner", "atomic", "model", "library", "simulations", "failing")}
_OF_TABLES |= {name: f"--{name}" for name in ("program", "rival")}
#: An option that names a folder which is there.
FolderOption = partial(typer.Option, exists=True, file_okay=False)


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(reproduce)


def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of: {', '.join(_SWEEPS)}.")],
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
    steps: Annotated[int | None, typer.Option(min=1, help="Steps per run. Default: the panel's.")] = None,
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
    planner: Annotated[
        Path | None,
        FolderOption(help="Planners: folder of a trained policy. Default: trained in OUT/planner first."),
    ] = None,
    atomic: Annotated[
        str | None,
        typer.Option(
            help="Planners, calls: who carries out atomic programs: scripted, learned, FOLDER. Default: the planner's, "
            "or learned."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        FolderOption(help="Planners: folder of a learned self-model to plan on. Default: the planner's."),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            help="Planners: the paper's programs for 2 to 6 blocks, or yours, MODULE:NAME. Default: its own, or 4."
        ),
    ] = None,
    simulations: Annotated[
        list[int] | None, typer.Option(min=2, help="Planners: simulations of a decision (may be repeated).")
    ] = None,
    failing: Annotated[
        float | None, typer.Option(min=0, max=1, help="Planners: share of atomic calls that fail. Default: 0.")
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            help="Planners: only this program (may be repeated with tables; all without), or, in figure 1, which one "
            "is filmed (Clean_And_Stack without)."
        ),
    ] = None,
    rival: Annotated[
        list[Path] | None,
        FolderOption(help="Tables: run of npi-goals under its teacher program-goals, a rival (may be repeated)."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="XLand's figures 13, 19, 22, 25, 27: who plays, a policy's folder or name (in 13 and 22 several, the "
            "earliest first: generations, or their folder; checkpoints, or a run with --keep-policies); 26: what is "
            "finetuned. Default: trained, the policy that comes with the package."
        ),
    ] = None,
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
    procgen-bench reproduce code --table 1 --panel keys --method CoDE --seeds 1
    procgen-bench reproduce alphanpi-x --figure 5
    procgen-bench reproduce alphanpi-x --figure 1 --program Clean_Table --failing 0.2
    procgen-bench reproduce alphanpi-x --figure 9 --atomic runs/goals
    procgen-bench reproduce alphanpi-x --table 2
    procgen-bench reproduce alphanpi-x --table 2 --library 3
    procgen-bench reproduce alphanpi-x --table 2 --planner runs/planner --atomic learned --model runs/planner/model
    ```
    """
    folder = out or Path("runs") / paper
    check_folder(folder)
    check_named_or_folder("--atomic", atomic, _ARMS)
    analyses = _ANALYSES[paper][1] if paper in _ANALYSES and table is None else ()
    begun = _BEGUN.get(paper, ()) if table is None else ()
    if figure not in (*analyses, *begun):
        _refuse(context, _OF_ANALYSES, "figures of what a trained policy does: " + _analysed())
    if figure in begun and policy is not None:
        if len(policy) > 1:
            raise typer.BadParameter(f"figure {figure} takes one policy, not {len(policy)}")
        check_named_or_folder("--policy", policy[0], _SHIPPED)
    if table is None and figure in _FILMS.get(paper, ()):
        others = _OF_SWEEPS | {name: f"--{name}" for name in ("samples", "rival")}
        _refuse(context, others, "other figures and tables, not with an episode that is filmed")
        for name, values in (("program", program), ("simulations", simulations)):
            if values is not None and len(values) > 1:
                raise typer.BadParameter(f"--{name} may be repeated with tables alone")
        given: dict[str, Any] = {"failing": failing, "seed": seed}
        given |= {"program": program and program[0], "simulations": simulations and simulations[0]}
        reproduce_trace(folder, planner, atomic, model, library, _without_none(given))
        return
    if table is None and figure in _CALLS.get(paper, ()):
        others = {name: option for name, option in (_OF_SWEEPS | _OF_TABLES).items() if name != "atomic"}
        _refuse(context, others, "other figures and tables, not with calls that an arm carries out")
        reproduce_calls(folder, atomic, _without_none({"chains": samples, "seed": seed}))
        return
    if paper in _TABLES and (table is not None or figure is None):
        _refuse(context, _OF_SWEEPS, "figures of training runs, not with a table that a planner plays")
        _check_table(paper, figure, table)
        given = {"episodes": samples, "simulations": simulations, "failing": failing, "seed": seed, "programs": program}
        if rival and library is not None:
            raise typer.BadParameter("--rival goes with the paper's programs for four blocks, not with --library")
        reproduce_table(folder, planner, atomic, model, library, rival or [], _without_none(given))
        return
    of_runs = table is not None and figure is None and table in _RUNS_OF_TABLES.get(paper, {})
    if of_runs and table is not None:
        figure = _RUNS_OF_TABLES[paper][table]
    else:
        _refuse(context, {"table": "--table"}, f"tables; of {paper} there are figures{_tables_of(paper)}")
    _refuse(context, _OF_TABLES, "tables that a planner plays, not with figures")
    if figure is None and not of_runs:
        raise typer.BadParameter("give --figure, the figure's number")
    if paper not in _SWEEPS:
        raise typer.BadParameter(f"there is no paper {paper!r}, expected one of {[*_SWEEPS]}")
    if figure is not None and figure in analyses:
        _refuse(context, _OF_SWEEPS, "figures of training runs; this one is of a trained policy")
        _reproduce_gallery(_analyses_of(paper)[figure], folder, samples, seed, policy or [])
        return
    described = importlib.import_module(_SWEEPS[paper])
    if paper not in _GALLERIES or figure in described.FIGURES:
        _refuse(context, _OF_GALLERIES, "figures of generated tasks; this one is of training runs")
        found = described.TABLES[table] if figure is None else _find_figure(described.FIGURES, paper, figure)
        found = found.begun_from(policy[0]) if policy else found
        shown = _reproduce_sweep(found, folder, panel or [], method or [], seeds, steps, workers_of(jobs, ray), train)
        if table is not None:
            _write_site_table(shown, found, folder, table, described.PUBLISHED[table])
    else:
        assert figure is not None  # its tables are refused above
        _refuse(context, _OF_SWEEPS, "figures of training runs; this one shows generated tasks")
        figures = import_extra(_GALLERIES[paper]).FIGURES
        found = _find_figure({**figures, **described.FIGURES}, paper, figure)
        _reproduce_gallery(found, folder, samples, seed, [])


def _analysed() -> str:
    numbers = {paper: sorted((*known, *_BEGUN.get(paper, ()))) for paper, (_, known) in _ANALYSES.items()}
    return "; ".join(f"{paper}'s {', '.join(map(str, known))}" for paper, known in numbers.items())


def _analyses_of(paper: str) -> "Mapping[int, GalleryFigure]":
    return import_extra(_ANALYSES[paper][0]).FIGURES


def _without_none(given: "Mapping[str, Any]") -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _refuse(context: typer.Context, options: "Mapping[str, str]", reason: str) -> None:
    for name, option in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"{option} goes with {reason}")


def _check_table(paper: str, figure: int | None, table: int | None) -> None:
    if figure is not None or table not in _TABLES[paper]:
        asked = "" if table is None else f"--table {table}" if figure is None else f"--table {table} --figure {figure}"
        known = " or ".join(f"--table {number}" for number in _TABLES[paper])
        raise typer.BadParameter(f"{asked or 'neither'} of {paper}, expected {known}, or one of its figures")


def _tables_of(paper: str) -> str:
    known = [f"--table {number}" for number in _RUNS_OF_TABLES.get(paper, {})]
    return f", and {' or '.join(known)}" if known else ""


def _find_figure(figures: "Mapping", paper: str, number: int):
    if number not in figures:
        analysed = _ANALYSES[paper][1] if paper in _ANALYSES else ()
        known = sorted((*figures, *_FILMS.get(paper, ()), *_CALLS.get(paper, ()), *analysed))
        raise typer.BadParameter(f"{paper} has no figure {number} here, expected one of {known}")
    return figures[number]


def _reproduce_sweep(
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
    drawing, results, sweep, training = (
        import_extra(f"procgen_bench.leaderboards.{module}")
        for module in ("reproduction.drawing", "reproduction.results", "reproduction.sweep", "sweeps.training")
    )
    runs = sweep.sweep_runs(figure, folder, panels, methods, seeds, steps)
    failures = training.train_cells(runs, workers) if train else []
    shown = sweep.shown_runs(runs)
    if not shown:
        sweep.check_trained(failures, runs)
        raise typer.BadParameter(f"{folder} holds no run of this figure; leave --no-train out to train them")
    picture, numbers = (folder / f"{figure.name}.{kind}" for kind in ("png", "md"))
    drawn = drawing.draw_figure(figure, shown, picture)
    rows = results.curve_results(figure, shown)
    results.write_results(figure, rows, numbers)
    results.write_curves(figure, shown, numbers.with_suffix(".json"))
    columns = ("benchmark", "method", *results.headings(rows))
    cells = [{"benchmark": row.panel.benchmark, "method": row.label} | row.cells for row in rows]
    print_numbers(columns, [[row.get(column, "") for column in columns] for row in cells], numbers)
    typer.echo(f"picture: {picture}")
    if beside := drawing.draw_beside(figure, shown, picture):
        typer.echo(f"picture: {beside}")
    _tell_missing(runs, shown, drawn)
    sweep.check_trained(failures, runs)
    return shown


def _write_site_table(
    runs: "Sequence[SweepRun]",
    figure: "PaperFigure",
    folder: Path,
    table: int,
    published: "Mapping[str, Sequence[int]]",
) -> None:
    sites = import_extra("procgen_bench.leaderboards.reproduction.site_table")
    scores, numbers = sites.site_scores(runs), folder / f"table-{table}.md"
    sites.write_site_table(scores, figure.panels[0].claim, numbers, table, published)
    print_numbers(sites.HEADINGS, sites.rows(scores), numbers)


def _tell_missing(runs: "Sequence[SweepRun]", shown: "Sequence[SweepRun]", drawn: "Sequence[SweepRun]") -> None:
    if len(shown) < len(runs):
        had = f"the figure has {len(shown)} of {len(runs)} runs"
        typer.echo(f"warning: {had}; the others have not begun, or are not finished", err=True)
    for run in shown:
        if run not in drawn:
            typer.echo(f"warning: {run.folder} holds no levels.jsonl, and is not in the picture", err=True)


def _reproduce_gallery(
    figure: "GalleryFigure", folder: Path, samples: int | None, seed: int | None, policies: "Sequence[str]"
) -> None:
    from procgen_bench.leaderboards.reproduction.xland.gallery import reproduce

    found = reproduce(figure, folder, samples, seed, policies)
    print_numbers(("number", "ours", "the paper's"), found.measurement.key_numbers(), found.numbers)
    typer.echo(f"picture: {found.picture}")

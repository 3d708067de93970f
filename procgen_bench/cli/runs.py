"""``runs`` and ``plot``: which training runs there are, and their learning curves."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from procgen_bench.cli.tables import Column, csv_of, print_table
from procgen_bench.core.command_line import completion
from procgen_bench.core.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from procgen_bench.baselines.training.run_folder import DamagedRunError
    from procgen_bench.baselines.training.run_records import RunRecord

#: Columns that most curves have.
_USUAL = ("success", "return", "length", "training_success", "training_return", "training_length")
#: What is shown of a run's last evaluation.
_SCORES = ("success", "return")
_MAKES_THEM = "`procgen-bench train METHOD BENCHMARK` makes some"
#: Success on what a teacher proposes, and the beginning of the names of what it tells by itself.
_ON_PROPOSED, _TEACHERS = "training_success", "teacher_"


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    app.command()(runs)
    app.command()(plot)


def runs(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder to search, with all folders below it.")
    ] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print them as one JSON document.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print them as one CSV table.")] = False,
) -> None:
    """List training runs: what they train, how far they are, and what their last evaluation says.

    A run that is not finished goes on by the command that began it; `--json` and `--csv` tell that, too.

    **Examples**

    ```
    procgen-bench runs
    procgen-bench runs runs/curricula --json
    ```
    """
    found = _found([folder])
    if as_json:
        typer.echo(json.dumps([_as_dict(run) for run in found], indent=2))
    elif as_csv:
        typer.echo(csv_of(map(_as_dict, found)), nl=False)
    else:
        print_table(_columns(found, folder))


def plot(
    run: Annotated[list[Path], typer.Argument(metavar="RUN", help="Run folders, or folders that hold some.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A column of the curves; may be repeated, for a row of panels each. Default: success.",
            autocompletion=completion(lambda: _USUAL),
        ),
    ] = None,
    teacher: Annotated[
        bool,
        typer.Option(
            "--teacher", help="Also success on the proposed levels, and the teachers' statistics (`teacher_...`)."
        ),
    ] = False,
    levels: Annotated[
        bool, typer.Option("--levels", help="Instead of curves, pictures of levels that the teachers proposed.")
    ] = False,
    x: Annotated[
        Literal["step", "seconds", "player_step"],
        typer.Option(
            "--x", help="What the x-axis shows; player_step: the steps of each player, where a run has several."
        ),
    ] = "step",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE.png|FILE.svg", help="The picture.")] = Path(
        "curves.png"
    ),
) -> None:
    """Plot learning curves, or the training levels (--levels).

    Curves: a panel per benchmark, and a line per method, teacher and settings.

    Runs that differ in their seeds alone are one line: their mean, with its 95 % interval. Of fewer than five, each run
    is drawn as well. The dotted line below is the worst tenth of the tasks.

    Levels: a block of rows per run, a column per time, and below a level the steps of its solution, where that is
    quickly found; at the end the target, where the benchmark is a single task.

    **Examples**

    ```
    procgen-bench plot runs/curricula
    procgen-bench plot runs/curricula --measure return --x seconds -o returns.svg
    procgen-bench plot runs/curricula --teacher -o teachers.png
    procgen-bench plot runs/ladder/seed-0 runs/accel/seed-0 --levels -o levels.png
    ```
    """
    drawing = import_extra("procgen_bench.leaderboards.sweeps.drawing")
    groups_of_runs = import_extra("procgen_bench.leaderboards.sweeps.groups")
    drawing.check_picture(out)
    if levels:
        _draw_levels(_found(run), out)
        return
    found = [one for one in _found(run) if len(one.curve) > 1]
    if not found:
        raise typer.BadParameter(
            "no run there has been evaluated twice; `procgen-bench runs FOLDER` shows how far they are"
        )
    known = list(dict.fromkeys(name for one in found for name in one.curve[-1]))
    measures = measure or ["success"]
    for name in measures:
        if name not in known:
            raise typer.BadParameter(f"--measure is {name!r}, expected a column of the curves: {', '.join(known)}")
    if teacher:
        measures += [name for name in known if name == _ON_PROPOSED or name.startswith(_TEACHERS)]
    drawing.draw_curves(groups_of_runs.group_runs(found), list(dict.fromkeys(measures)), out, x)
    typer.echo(f"wrote {out}")


def _draw_levels(found: "Sequence[RunRecord]", out: Path) -> None:
    from procgen_bench.core.benchmarks import get_benchmark
    from procgen_bench.core.registrations import environment_type

    strips = import_extra("procgen_bench.leaderboards.sweeps.level_strips")
    for benchmark in {one.benchmark for one in found}:
        environment_type(get_benchmark(benchmark).environment_id)  # what it needs is there, or nothing is drawn
    drawn = [
        strip
        for one in found
        if (strip := strips.level_strip(one.folder, one.benchmark, f"{one.teacher}, seed {one.seed}"))
    ]
    if not drawn:
        raise typer.BadParameter("no run there has noted what its teacher proposed, as runs since version 0.1.0 do")
    strips.draw_strips(drawn, out)
    typer.echo(f"wrote {out}")


def _found(folders: "Sequence[Path]") -> "list[RunRecord]":
    from procgen_bench.baselines.training.run_records import find_runs

    for folder in folders:
        if not folder.is_dir():
            raise typer.BadParameter(f"there are no runs: {folder} is no folder; {_MAKES_THEM}")
    by_path: dict[Path, RunRecord] = {}
    damaged: list[DamagedRunError] = []
    for folder in folders:
        found, unread = find_runs(folder)
        by_path |= {run.folder.resolve(): run for run in found}
        damaged += unread
    if damaged and not by_path:
        raise damaged[0]
    for error in damaged:
        typer.echo(f"warning: {error}", err=True)
    if not by_path:
        raise typer.BadParameter(f"there are no runs in {', '.join(map(str, folders))}; {_MAKES_THEM}")
    return list(by_path.values())


def _columns(found: "Sequence[RunRecord]", folder: Path) -> list[Column]:
    last = [run.curve[-1] if run.curve else {} for run in found]
    scores = [
        Column(name, [f"{row[name]:.3f}" if name in row else "" for row in last], number=True) for name in _SCORES
    ]
    return [
        Column("method", [run.method for run in found]),
        Column("teacher", [run.teacher or "-" for run in found]),
        Column("benchmark", [run.benchmark for run in found]),
        Column("seed", [f"{run.seed}" for run in found], number=True),
        Column("steps", [f"{run.steps_done:,}" for run in found], number=True),
        Column("of", [f"{run.steps:,}" for run in found], number=True, spare=True),
        *scores,
        Column("seconds", [f"{run.seconds:,.0f}" for run in found], number=True, spare=True),
        Column("state", [run.state for run in found]),
        Column(f"in {folder}", [str(run.folder.relative_to(folder)) for run in found]),
    ]


def _as_dict(run: "RunRecord") -> dict:
    last = run.curve[-1] if run.curve else {}
    return {
        "folder": str(run.folder),
        "method": run.method,
        "teacher": run.teacher,
        "benchmark": run.benchmark,
        "seed": run.seed,
        "steps": run.steps_done,
        "steps_asked": run.steps,
        "success": last.get("success"),
        "return": last.get("return"),
        "seconds": run.seconds,
        "state": run.state,
        "command": f"{run.command} --out {shlex.quote(str(run.folder))}",
    }

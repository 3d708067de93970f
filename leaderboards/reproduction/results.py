"""Results of a figure's runs as a table for people: in the terminal and as Markdown."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from procgen_bench.baselines.training.run_folder import read_config
from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.worst_tenth import PREFIX as WORST_TENTH
from procgen_bench.leaderboards.reproduction.tables import markdown_table
from procgen_bench.leaderboards.sweeps.curves import Curve, outcome, steps_of_player
from procgen_bench.leaderboards.sweeps.figure_file import Made, Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepRun, runs_of


class CurveResult(NamedTuple):
    """The runs of one curve: its panel, its label, and what the table says of them, by heading."""

    panel: Panel
    label: str
    cells: Mapping[str, str]


def headings(results: Sequence[CurveResult]) -> list[str]:
    """What the table says of curves, in order; of some of them it may say nothing."""
    return list(dict.fromkeys(heading for result in results for heading in result.cells))


def curve_results(figure: PaperFigure, runs: Sequence[SweepRun]) -> list[CurveResult]:
    """A row for each curve, from runs that have begun: means at the last evaluation, with 95 % intervals."""
    panels = {run.panel.name: run.panel for run in runs}
    return [
        CurveResult(panel, label, _cells(figure, found))
        for panel in panels.values()
        for label in figure.labels
        if (found := runs_of(runs, panel, label))
    ]


def write_results(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> Made:
    """Write the table as Markdown, and what is drawn as JSON beside it; below benchmarks' names what the paper says."""
    results = curve_results(figure, runs)
    write_curves(figure, runs, path.with_suffix(".json"))
    lines = [f"# {figure.heading}", "", "At the last evaluation; in brackets 95 % intervals."]
    for panel in {result.panel.name: result.panel for result in results}.values():
        own = [result for result in results if result.panel.name == panel.name]
        lines += ["", f"## {panel.benchmark}", "", f"The paper: {panel.claim}", ""]
        lines += markdown_table(["Method", *headings(own)], ([one.label, *_in_order(one, own)] for one in own))
    write_text(path, "\n".join(lines) + "\n")
    rows = [[one.panel.benchmark, one.label, *_in_order(one, results)] for one in results]
    return Made(["benchmark", "method", *headings(results)], rows, {"numbers": path})


def _in_order(result: CurveResult, results: Sequence[CurveResult]) -> list[str]:
    return [result.cells.get(name, "") for name in headings(results)]


def write_curves(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> None:
    """Write what is drawn as JSON: the paper's numbers of each panel, and of each run the measures over its steps.

    ``commits`` has those of the checkouts that the runs were begun in, each once.
    """
    panels = {}
    for panel in {run.panel.name: run.panel for run in runs}.values():
        ours = [_drawn_of(figure, run) for label in figure.labels for run in runs_of(runs, panel, label)]
        about = {"benchmark": panel.benchmark, "steps": panel.against}
        panels[panel.name] = about | {"paper": dict(panel.published), "runs": ours}
    configs = [read_config(run.folder) or {} for run in runs]
    origins = (config.get("provenance", {}).get("commit") for config in configs)  # older runs have none
    commits = sorted({one for one in origins if one is not None})
    write_text(path, json.dumps({"title": figure.heading, "commits": commits, "panels": panels}, indent=1) + "\n")


def _drawn_of(figure: PaperFigure, run: SweepRun) -> dict[str, Any]:
    curve = run.read_curve()
    names = [
        name
        for name in ("step", "player_step", "seconds", *_measures(figure, [curve]))
        if any(name in row for row in curve)
    ]
    columns = {name: [_plain(row.get(name)) for row in curve] for name in names}
    return {"label": run.curve.label, "seed": run.seed, "finished": run.finished} | columns


def _plain(value: float | None) -> float | None:
    """JSON has no NaN."""
    return None if value is None or math.isnan(value) else value


def _cells(figure: PaperFigure, runs: Sequence[SweepRun]) -> dict[str, str]:
    curves, benchmark = [run.read_curve() for run in runs], get_benchmark(runs[0].panel.benchmark)
    names = {name: name.replace("_", " ") for name in _measures(figure, curves)}
    outcomes = {name: outcome([curve for curve in curves if name in curve[-1]], name, benchmark) for name in names}
    cells = {names[name]: str(found.mean) if found else "" for name, found in outcomes.items()}
    first = outcomes[figure.measures[0]]
    cells[f"{names[figure.measures[0]]} of each run"] = _values(first.runs) if first else ""
    if any("restored" in curve[-1] for curve in curves):
        cells |= _before_restoring(curves)
    steps, seconds = min(curve[-1]["step"] for curve in curves), [curve[-1]["seconds"] for curve in curves]
    cells["least steps"] = f"{steps:,.0f}"
    if any("player_step" in curve[-1] for curve in curves):
        cells["of each player"] = f"{min(steps_of_player(curve[-1]) for curve in curves):,.0f}"
    return cells | {"minutes a run": f"{sum(seconds) / len(seconds) / 60:.1f}"}


def _before_restoring(curves: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, str]:
    """Of runs that put an earlier network back after a drop: what the last network scored, and how often each did.

    The other scores of such a run are those of the network that goes on, as
    :meth:`~procgen_bench.baselines.methods.dqn.DQN.after_evaluation` has it.
    """
    restores = [sum(row.get("restored", 0) for row in curve) for curve in curves]
    return {
        "return as evaluated": _values(curve[-1]["evaluated_return"] for curve in curves),
        "restores": " ".join(f"{number:.0f}" for number in restores),
    }


def _values(values: Iterable[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _measures(figure: PaperFigure, curves: Sequence[Curve]) -> list[str]:
    """What is drawn, and success in any case; behind each that on the worst tenth of tasks, where all curves end so."""
    of_panels = (name for panel in figure.panels for name in panel.measures)
    names = dict.fromkeys((*figure.measures, *of_panels, *figure.beside, "success"))
    worst = {name: WORST_TENTH + name for name in names if all(WORST_TENTH + name in curve[-1] for curve in curves)}
    return [shown for name in names for shown in (name, worst.get(name)) if shown is not None]

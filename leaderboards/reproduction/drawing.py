"""A paper's figure, drawn from our runs beside what the paper says of it."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.baselines.training.task_records import LEVELS_FILE
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.reproduction.primitive_histograms import draw_primitives
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS
from procgen_bench.leaderboards.sweeps.drawing import add_legend, draw_measure, write_picture
from procgen_bench.leaderboards.sweeps.figure_file import Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepError, SweepRun, runs_of
from procgen_bench.leaderboards.sweeps.level_strips import draw_strips, level_strip

_WIDTH, _HEIGHT, _TITLE = 4.6, 3.6, 0.7
#: In a line, beside each panel.
_CLAIM_CHARACTERS, _CAPTION_CHARACTERS = 52, 56
#: Run folders that an error names.
_MOST_FOLDERS = 3
_CAPTION = f"means over runs; shades: their 95 % intervals; of fewer than {FEWEST_RUNS} runs, each as a thin line"


def draw_figure(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> Sequence[SweepRun]:
    """Write the figure as a picture (``.png`` or ``.svg``), from runs that have begun.

    Curves: a panel for each benchmark, or as many below each other as there are measures; of a single benchmark many
    measures lie beside each other. Lines are means over the runs, shades their 95 % intervals; of fewer than five, thin
    lines are the runs; dotted lines are the paper's numbers. Where a run has several players, steps are those of each.
    Levels, and primitives of sites: a row for each run that noted them.

    Returns:
        The runs that are drawn.

    Raises:
        SweepError: Levels are to be drawn, and no run noted any.
    """
    if figure.shows == "levels":
        return _draw_levels(figure, runs, path)
    if figure.shows == "primitives":
        return draw_primitives(figure, runs, path)
    write_picture(lambda: _drawn(figure, runs), path)
    return runs


def draw_beside(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> Path | None:
    """Write the picture of the figure's curves beside that at ``path``.

    Returns:
        Where it is; ``None`` where the figure has none, or no run has its columns.
    """
    measured = {run.panel.name for run in runs if not run.read_curve()[-1].keys().isdisjoint(figure.beside)}
    shown = [run for run in runs if run.panel.name in measured]
    if not shown:
        return None
    beside = path.with_stem(f"{path.stem}-curves")
    write_picture(lambda: _drawn(replace(figure, measures=figure.beside), shown), beside)
    return beside


def _draw_levels(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> list[SweepRun]:
    labels = [f"{run.curve.label}\n{run.panel.name}, seed {run.seed}" for run in runs]
    strips = [level_strip(run.folder, run.benchmark, label) for run, label in zip(runs, labels, strict=True)]
    noted = [strip for strip in strips if strip is not None]
    if not noted:
        folders = ", ".join(str(run.folder) for run in runs[:_MOST_FOLDERS])
        more = f" and {len(runs) - _MOST_FOLDERS} more" if len(runs) > _MOST_FOLDERS else ""
        raise SweepError(
            f"no {LEVELS_FILE}, from which the figure is drawn, lies in {folders}{more}; "
            "train them again in another --out"
        )
    draw_strips(noted, path, count=1, side=figure.side)
    return [run for run, strip in zip(runs, strips, strict=True) if strip is not None]


def _drawn(figure: PaperFigure, runs: Sequence[SweepRun]) -> Figure:
    panels = list({run.panel.name: run.panel for run in runs}.values())
    labels = [label for label in figure.labels if any(run.curve.label == label for run in runs)]
    shown = [(panel, measure) for panel in panels for measure in panel.measures or figure.measures]
    # Many measures of a single panel, and panels of different measures, lie one after the other.
    in_line = any(panel.measures for panel in panels) or (len(panels) == 1 and len(shown) > figure.columns)
    columns, below = min(figure.columns, len(shown) if in_line else len(panels)), 1 if in_line else len(figure.measures)
    rows = math.ceil(len(shown) / below / columns) * below
    picture = Figure(figsize=(_WIDTH * columns, _HEIGHT * rows + _TITLE), layout="constrained", dpi=110)
    title, caption = (textwrap.fill(text, _CAPTION_CHARACTERS * columns) for text in (figure.heading, _CAPTION))
    picture.suptitle(f"{title}\n{caption}", fontsize=10)
    axes = picture.subplots(rows, columns, squeeze=False)
    for unused in axes[-below:, (len(shown) // below - 1) % columns + 1 :].flat:
        unused.set_axis_off()
    for number, (panel, measure) in enumerate(shown):
        place, depth = divmod(number, below)
        drawn = axes[place // columns * below + depth, place % columns]
        lines = [(label, [run.read_curve() for run in runs_of(runs, panel, label)]) for label in figure.labels]
        draw_measure(drawn, lines, measure, get_benchmark(panel.benchmark), "player_step")
        if measure == "success":
            _draw_published(drawn, panel)
        measures = panel.measures or figure.measures
        if measure == measures[0]:
            claim = textwrap.fill(f"Paper: {panel.claim}", _CLAIM_CHARACTERS)
            drawn.set_title(f"{panel.benchmark}\n{claim}", fontsize=8)
        if measure == measures[-1]:
            shared = any("player_step" in curve[-1] for _, curves in lines for curve in curves)
            drawn.set_xlabel(f"{panel.against} per player" if shared else panel.against)
    add_legend(picture, {label: _numbers_of_runs(runs, label) for label in labels})
    return picture


def _draw_published(axes: Axes, panel: Panel) -> None:
    """The paper's shares of success as dotted lines, each with its name on it."""
    for name, value in panel.published.items():
        axes.axhline(value, color="0.35", linestyle=":", linewidth=1)
        text = axes.text(0.01, value, f"paper: {name}", transform=axes.get_yaxis_transform(), fontsize=6, va="center")
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8})


def _numbers_of_runs(runs: Sequence[SweepRun], label: str) -> list[int]:
    """How many runs of this curve each panel has that has some."""
    panels = {run.panel.name: run.panel for run in runs if run.curve.label == label}
    return [len(runs_of(runs, panel, label)) for panel in panels.values()]
